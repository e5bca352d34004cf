# Answers print as text, and give data frames and pictures.
if (!ms_available()) exit_file("the program marginswap is not here")

keep <- ~ region * sex * age * marital + sex * age * marital * education
keys <- c("region", "age", "occupation")
shown <- function(x) capture.output(print(x))
picture <- function(x) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  plot(x)
  TRUE
}

inspected <- ms_inspect(town)
graph <- ms_graph(keep = keep)
screened <- ms_screen(town, keep = keep, keys = keys, records = TRUE)
explained <- ms_explain(town, record = 263, keep = keep)
pair <- ms_explain(town, pair = c(1, 2), keep = ~ region * sex)
risk <- ms_risk(town, keys = keys, population = 20000, records = TRUE)
plan <- suppressMessages(ms_plan(town, keep = ~ region * sex, keys = keys, demo_seed = 1))
release <- suppressMessages(ms_protect(town, keep = ~ region * sex, keys = keys, demo_seed = 1))
verified <- suppressMessages(ms_verify(town, release))
page <- suppressMessages(ms_report(town, release))
frontier <- ms_frontier(town, keep = ~ region * sex, keys = keys, budgets = c("2%", "none"), seeds = 2, demo_seed = 1)

answers <- list(inspected, graph, screened, explained, pair, risk, plan, release, verified, page, frontier)
for (answer in answers) {
  expect_inherits(answer, "ms_answer")
  expect_true(length(shown(answer)) > 2L)
  # No command line, and no place of a temporary file.
  expect_false(any(grepl("--[a-z]|marginswap-r-|/dev/shm|data[.]csv", shown(answer))), info = class(answer)[1])
  expect_true(length(capture.output(print(summary(answer)))) >= 1L)
  expect_inherits(as.data.frame(answer), "data.frame")
}
for (answer in list(inspected, graph, screened, explained, plan, release, verified, frontier, risk)) {
  expect_true(picture(answer), info = class(answer)[1])
}
expect_true(any(grepl("^next: ms_graph\\(town", shown(inspected))))
expect_identical(nrow(as.data.frame(inspected)), ncol(town))
expect_identical(nrow(as.data.frame(screened)), nrow(town))
expect_identical(sum(as.data.frame(screened)$swappable), screened$swappable)
expect_identical(nrow(as.data.frame(risk)), nrow(town))
expect_identical(nrow(as.data.frame(verified)), 15L)
expect_identical(nrow(as.data.frame(frontier)), 4L)
expect_identical(as.data.frame(release), release$data)
expect_true(any(grepl("SECRET", shown(plan))))
expect_true(any(grepl("too many fields", shown(ms_explain("E203")))))
expect_true(startsWith(page$html, "<!DOCTYPE html>"))
# A seed that others know is known to whoever looks at the release.
expect_identical(verified$verdict, "do_not_release")
# A saved workspace does not hold the swaps.
expect_identical(names(unclass(release$plan)), "path")

file <- tempfile(fileext = ".svg")
plot(verified, file = file)
expect_true(any(grepl("<svg", readLines(file, warn = FALSE))))
unlink(file)
seen <- NULL
plot(page, viewer = function(url) seen <<- url)
expect_message(release <- ms_protect(town, keep = ~ region * sex, keys = keys, demo_seed = 1), "do not release")

# Codes of missing values are asked for again where the user gave some, not where the package did.
holes <- town
holes$education[seq(1, 400, 7)] <- NA
blank <- ms_explain(holes, record = 263, keep = ~ region * sex)
expect_false(any(grepl("as you gave it", shown(blank))))
expect_true(any(grepl("pair = c\\(263, [0-9]+\\)", shown(blank))))
coded <- ms_explain(town, record = 263, keep = ~ region * sex, missing = "none")
expect_true(any(grepl("# add `missing` as you gave it", shown(coded), fixed = TRUE)))
expect_true(any(grepl("pair = c\\(263, [0-9]+\\)", shown(coded))))
