# Arguments become flags of the program; the table of settings says which.

flags <- function(given, command = "protect", project = list(), ...) {
  marginswap:::as_flags(given, command, project, ...)
}
tables <- function(value) marginswap:::tables_of("keep", value)

# A formula is read as loglin reads it.
expect_identical(tables(~ region * sex * age + age * marital), c("region*sex*age", "age*marital"))
expect_identical(tables(~ a:b + c), c("a*b", "c"))
expect_identical(tables(~ (a + b) * c), c("a*c", "b*c"))
expect_identical(tables(~ (a + b + c)^2), c("a*b", "a*c", "b*c"))
expect_identical(tables(~ `my region` * `a*b`), "`my region`*`a*b`")
expect_identical(tables(~ region * count(age < 18)), "region*count(age < 18)")
expect_identical(tables(list(~ a * b, "c*d")), c("a*b", "c*d"))
expect_identical(tables("a*b + c"), "a*b + c")
expect_error(tables(y ~ a), class = "marginswap_E403")
expect_error(tables(~ log(a)), class = "marginswap_E403")
expect_error(tables(~ a - b), class = "marginswap_E403")

# Each kind of setting.
expect_identical(flags(list(keys = c("a", "b,c", "d`e")))$flags, "--keys=a,`b,c`,`d``e`")
expect_identical(flags(list(keys = ~ a + b))$flags, "--keys=a,b")
expect_identical(flags(list(match = list(c("a", "b"), "a", character())))$flags,
  c("--match=a,b", "--match=a", "--match="))
expect_identical(flags(list(budget = 0.05))$flags, "--budget=0.05")
expect_identical(flags(list(population = 1e6))$flags, "--population=1000000")
expect_identical(flags(list(release_id = TRUE))$flags, "--release-id")
expect_identical(flags(list(release_id = FALSE))$flags, character())
expect_identical(flags(list(derive = c(age10 = "band(age, 10)")))$flags, "--derive=age10 = band(age, 10)")
expect_identical(flags(list(derive = c(r = "map(town, \"geo.csv\", \"region\")")))$flags,
  sprintf("--derive=r = map(town, \"%s/geo.csv\", \"region\")", getwd()))
expect_identical(flags(list(roughly = c(age = 5)))$flags, "--roughly=age=5")
expect_identical(flags(list(risky = "records:risk.txt"))$flags, sprintf("--risky=records:%s/risk.txt", getwd()))
expect_identical(flags(list(risky = "k:3"))$flags, "--risky=k:3")
expect_identical(flags(list(areas = "areas.csv"))$flags, sprintf("--areas=%s/areas.csv", getwd()))
expect_identical(flags(list(rule = "age = 0-17 & marital = married"))$flags, "--rule=age = 0-17 & marital = married")

# What has no flag goes through a project file, and not beside one.
made <- flags(list(
  keep = list(census = ~ a * b, "c*d"), weights = c(income = 3),
  scenarios = list(neighbour = c("a", "b"), employer = list(keys = "c", sensitive = "d\"e"))
))
expect_identical(made$flags, "--keep=c*d")
expect_identical(made$file, c(
  "[keep.named]", "\"census\" = \"a*b\"", "[risk.scenarios]", "\"neighbour\" = [\"a\",\"b\"]",
  "\"employer\" = { keys = [\"c\"], sensitive = [\"d\\\"e\"] }", "[swap.weights]", "\"income\" = 3"
))
named <- flags(list(keep = list(census = ~ a * b, health = ~ c + d)))
expect_identical(named$flags, character())
expect_identical(named$file, c("[keep.named]", "\"census\" = \"a*b\"", "\"health\" = \"c + d\""))
expect_error(flags(list(weights = c(a = 2)), project = list(path = "p.toml")), class = "marginswap_E403")
expect_error(flags(list(release_id = FALSE), project = list(path = "p.toml")), class = "marginswap_E403")

# Missing values are codes of missing numbers for whoever asks for classes.
expect_identical(flags(list(derive = "x = band(a, 2)", missing = c("99", NA)), marks = "")$flags,
  c("--derive=x = band(a, 2)", "--missing=99", "--missing="))
expect_identical(flags(list(missing = NA))$flags, character())
expect_identical(flags(list(keys = "a"), marks = "")$flags, "--keys=a")
expect_identical(flags(list(keys = "a"), marks = c("", "NA(a)"))$flags, c("--keys=a", "--missing=NA(a)"))
expect_identical(flags(list(keys = "a"), project = list(path = "p.toml"), marks = "NA(a)")$flags, "--keys=a")

# Wrong values are refused by the name of the argument.
wrong <- function(given, argument) {
  error <- tryCatch(flags(given), error = identity)
  expect_inherits(error, "marginswap_E403")
  expect_identical(error$place, sprintf("argument `%s`", argument))
}
wrong(list(keys = 1:2), "keys")
wrong(list(keys = NA_character_), "keys")
wrong(list(budget = c(1, 2)), "budget")
wrong(list(budget = TRUE), "budget")
wrong(list(id = c("a", "b")), "id")
wrong(list(roughly = 5), "roughly")
wrong(list(release_id = "yes"), "release_id")

# Every function takes the settings of its command, and every setting has a function.
functions <- c("inspect", "graph", "screen", "explain", "risk", "plan", "protect", "apply", "verify", "report", "frontier")
for (command in functions) {
  taken <- names(formals(getExportedValue("marginswap", paste0("ms_", command))))
  expect_true(all(names(marginswap:::settings_of(command)) %in% taken), info = command)
}
kinds <- unique(vapply(marginswap:::settings_table, `[[`, "", "kind"))
expect_identical(setdiff(kinds, c(
  "names", "name", "groups", "tables", "namedtables", "rules", "path", "files", "text", "switch",
  "numbers", "widths", "scenarios", "codes", "derived"
)), character())
preset <- Filter(function(row) row$section == "trs", marginswap:::settings_table)
expect_true(all(vapply(preset, `[[`, "", "name") %in% names(formals(ms_record_swap))))

# A command of the program is told as a call.
known <- list(paths = c(data = "data.csv"), tables = "data", shown = "town", command = "screen")
call_of <- function(line) marginswap:::command_in_r(line, known)
expect_identical(call_of("  marginswap screen data.csv --keep 'a*b + c' --keep=d --keys a,b"),
  "  ms_screen(town, keep = list(\"a*b + c\", \"d\"), keys = c(\"a\", \"b\"))")
# What went through a project file is not lost.
known$beside <- list(named = list(census = "a*b"))
expect_identical(call_of("marginswap screen data.csv --keep=d"),
  "ms_screen(town, keep = \"d\", named = list(census = \"a*b\"))")
expect_identical(call_of("marginswap explain data.csv --pair 5 12"), "ms_explain(town, pair = c(5, 12))")
expect_identical(call_of("marginswap verify data.csv released.csv --keep a"), "ms_verify(town, release)")
expect_identical(marginswap:::with_arguments("give `--max-records`, or --keep"), "give `max_records`, or `keep`")
