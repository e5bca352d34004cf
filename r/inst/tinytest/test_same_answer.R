# The same project and seed give the same swaps and the same released values as the command line.
if (!ms_available()) exit_file("the program marginswap is not here")

folder <- tempfile("same-")
dir.create(folder)
at <- function(name) file.path(folder, name)
program <- marginswap:::find_program()
command <- function(...) {
  said <- suppressWarnings(system2(program, shQuote(c(...)), stdout = TRUE, stderr = FALSE))
  list(status = c(attr(said, "status"), 0L)[1], text = said)
}
read <- function(path) read.csv(path, colClasses = "character", check.names = FALSE)
# As it is written there: the row numbers of R tell nothing.
plain <- function(data) {
  data[] <- lapply(data, as.character)
  row.names(data) <- NULL
  data
}
swaps <- function(path) jsonlite::fromJSON(command("show", path, "--reveal", "--json")$text)[c("swaps", "listed", "exchanges")]

write.csv(town, at("town.csv"), row.names = FALSE, quote = FALSE)
writeLines(c(
  "data = \"town.csv\"", "[keep]", "tables = [\"region*sex*age\", \"age*marital\"]", "[risk]",
  "keys = [\"region\", \"sex\", \"age\", \"occupation\"]", "[swap]", "rate = \"20 %\""
), at("marginswap.toml"))
seed <- at("town.seed")
project <- ms_project(at("marginswap.toml"))

status <- command("protect", "--project", at("marginswap.toml"), "--seed-file", seed, "--plan",
  at("cli.plan"), "-o", at("cli.csv"), "--json")$status
expect_true(status %in% 0:1)
expect_message(release <- ms_protect(town, project = project, seed_file = seed, plan = at("r.plan")), "Verdict")
expect_inherits(release, "ms_release")
expect_identical(plain(release$data), read(at("cli.csv")))
expect_identical(swaps(at("r.plan")), swaps(at("cli.plan")))
expect_true(release$equal)
expect_identical(attributes(release$data), attributes(town))
expect_identical(lapply(release$data, levels), lapply(town, levels))

# Arguments in place of the project, a plan and its release in two steps, and text in place of factors.
asked <- list(keep = ~ region * sex * age + age * marital, keys = c("region", "sex", "age", "occupation"), rate = 0.2)
quietly <- function(fun, ...) suppressMessages(do.call(fun, c(list(...), asked)))
expect_identical(quietly(ms_protect, town, seed_file = seed)$data, release$data)
plan <- quietly(ms_plan, town, seed_file = seed)
expect_identical(suppressMessages(ms_apply(town, plan, seed_file = seed))$data, release$data)
texts <- town
texts[] <- lapply(town, as.character)
expect_identical(quietly(ms_protect, texts, seed_file = seed)$data, plain(release$data))

# A plan of the command line is one here, and the other way round.
expect_identical(suppressMessages(ms_apply(texts, at("cli.plan"), seed_file = seed, project = project))$data,
  plain(release$data))
suppressMessages(ms_save_plan(plan, at("saved.plan")))
expect_identical(format(file.info(at("saved.plan"))$mode), "600")
expect_error(ms_save_plan(plan, at("saved.plan")), class = "marginswap_E803")
status <- command("apply", at("town.csv"), at("saved.plan"), "--seed-file", seed, "-o", at("again.csv"))$status
expect_true(status %in% 0:1)
expect_identical(read(at("again.csv")), read(at("cli.csv")))
expect_identical(ms_load_plan(at("saved.plan"))$swaps, plan$swaps)

# The plan of a project is where the project says, and is the release's.
writeLines(c(readLines(at("marginswap.toml")), "[release]", "plan = \"named.plan\""), at("with-plan.toml"))
made <- suppressMessages(ms_protect(town, project = at("with-plan.toml"), seed_file = seed))
expect_identical(normalizePath(made$plan$path), normalizePath(at("named.plan")))
expect_identical(made$data, release$data)

# A file is released as a file.
made <- quietly(ms_protect, at("town.csv"), seed_file = seed, out = at("file.csv"))
expect_null(made$data)
expect_identical(made$path, at("file.csv"))
expect_identical(readLines(at("file.csv")), readLines(at("cli.csv")))
expect_error(quietly(ms_protect, at("town.csv"), seed_file = seed, out = at("file.csv")), class = "marginswap_E803")
made <- suppressMessages(ms_protect(project = project, seed_file = seed, out = at("project.csv")))
expect_identical(readLines(at("project.csv")), readLines(at("cli.csv")))

# The numbers of an answer are those of the command line.
mine <- ms_screen(town, keep = ~ region * sex * age + age * marital)
theirs <- jsonlite::fromJSON(command("screen", at("town.csv"), "--keep", "region*sex*age + age*marital", "--json")$text)
for (field in c("records", "cells", "swappable", "disclosed")) expect_identical(mine[[field]], theirs[[field]])

# recordSwap's arguments are the preset of project files.
writeLines(c(
  "[trs]", "hierarchy = [\"region\"]", "similar = [[\"sex\", \"age\"], [\"sex\"]]", "k_anonymity = 2",
  "risk_variables = [\"age\", \"occupation\"]", "swaprate = \"10 %\"", "carry_along = [\"education\"]"
), at("trs.toml"))
command("protect", at("town.csv"), "--project", at("trs.toml"), "--seed-file", seed, "-o", at("trs.csv"))
swapped <- suppressMessages(ms_record_swap(town,
  hierarchy = 1, similar = list(c("sex", "age"), "sex"), swaprate = 0.1, k_anonymity = 2,
  risk_variables = c("age", "occupation"), carry_along = "education", seed_file = seed
))
expect_identical(plain(swapped$data), read(at("trs.csv")))

# A release brings the settings of its preset along.
expect_identical(suppressMessages(ms_verify(town, swapped))$at_risk, swapped$at_risk)
expect_true(startsWith(suppressMessages(ms_report(town, swapped))$html, "<!DOCTYPE html>"))

# Missing values are written with the code that the project has for them.
writeLines(c(
  "[columns]", "missing = [\"NA\"]", "[derive]", "decade = \"band(years, 10)\"", "[keep]",
  "tables = [\"region*decade\"]", "[risk]", "keys = [\"region\", \"years\"]"
), at("missing.toml"))
ages <- town
ages$years <- rep(c(0:98, NA), 4)
write.csv(ages, at("ages.csv"), row.names = FALSE, quote = FALSE)
command("protect", at("ages.csv"), "--project", at("missing.toml"), "--seed-file", seed, "-o", at("ages-cli.csv"))
mine <- suppressMessages(ms_protect(ages, project = at("missing.toml"), seed_file = seed))
expect_identical(plain(mine$data), read.csv(at("ages-cli.csv"), colClasses = "character"))

# A project file where R happens to be is not used unless it is named.
home <- setwd(folder)
expect_error(ms_protect(town), class = "marginswap_E111")
expect_message(ms_apply(town, plan), "Verdict")
setwd(home)
unlink(folder, recursive = TRUE)
