# How long a job takes in R against the program on the same data: asked by hand, answers in bench-runs/.
#
#   MARGINSWAP_PATH=target/release/marginswap Rscript scripts/bench-r.R 1000000 [base]
#
# The package must be installed. Both use the seed 1, and the answers are compared before any time is
# told. `base` does without data.table and processx. The last rounds have numbers in place of text.

library(marginswap)
asked <- commandArgs(TRUE)
records <- as.numeric(c(asked, "1000000")[1])
if ("base" %in% asked) {
  real <- base::requireNamespace
  unlockBinding("requireNamespace", baseenv())
  assign("requireNamespace", function(package, ...) !package %in% c("data.table", "processx") && real(package, ...), baseenv())
}

# An invented survey of nine columns, skewed so that some people are alone with their keys.
set.seed(1)
levels <- c(region = 16, sex = 2, age = 90, job = 12, children = 6, house = 5, car = 3, income = 10, town = 4)
numbers <- as.data.frame(lapply(levels, function(most) floor(most * stats::runif(records)^2)))
texts <- as.data.frame(Map(function(column, name) paste0(substr(name, 1, 1), column), numbers, names(numbers)))
keys <- c("region", "sex", "age", "job", "children")
keep <- "region*sex*age + age*job + job*house*car + children*income"

worked <- function() sum(proc.time()[c("user.self", "sys.self", "user.child", "sys.child")])
timed <- function(work) {
  before <- c(proc.time()[["elapsed"]], worked())
  value <- work()
  list(value = value, seconds = c(proc.time()[["elapsed"]], worked()) - before)
}

folder <- tempfile("bench-", if (dir.exists("/dev/shm")) "/dev/shm" else tempdir())
dir.create(folder, mode = "0700")
data <- file.path(folder, "data.csv")
out <- file.path(folder, "out.csv")
for (kind in c("texts", "texts", "texts", "numbers", "numbers")) {
  table <- get(kind)
  write.csv(table, data, row.names = FALSE, quote = FALSE)
  command <- c("protect", data, "--keys", paste(keys, collapse = ","), "--keep", keep, "--demo-seed", "1", "-o", out, "--force")
  program <- timed(function() system2(Sys.getenv("MARGINSWAP_PATH", "marginswap"), shQuote(command), stdout = FALSE, stderr = FALSE))
  package <- timed(function() suppressMessages(ms_protect(table, keys = keys, keep = keep, demo_seed = 1, progress = FALSE)))
  there <- read.csv(out, colClasses = if (kind == "texts") "character" else "numeric")
  stopifnot(identical(there, package$value$data))
  cat(sprintf(
    "| %s x 9 %s | program %.2f s | R %.2f s | %.2f | processor: %.2f s, %.2f s, %.2f |\n",
    format(records, big.mark = ",", scientific = FALSE), kind, program$seconds[1], package$seconds[1],
    package$seconds[1] / program$seconds[1], program$seconds[2], package$seconds[2],
    package$seconds[2] / program$seconds[2]
  ))
}
cat("at risk ", package$value$at_risk, ", changed ", package$value$records_changed, "\n", sep = "")
unlink(folder, recursive = TRUE)
