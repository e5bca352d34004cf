# Nothing is left behind: after an answer, an error, an interrupt, and at the latest by the next call
# after a session was killed.
if (!ms_available()) exit_file("the program marginswap is not here")

place <- tempfile("place-")
dir.create(place)
before <- options(marginswap.tempdir = place)
left <- function() setdiff(list.files(place, all.files = TRUE, no.. = TRUE), basename(marginswap:::own_folder()))

# The folder is for its owner alone, and is there while the program runs.
seen <- NULL
marginswap:::in_folder(0, function(folder) {
  file.create(file.path(folder, "data.csv"))
  seen <<- c(list.files(place), format(file.info(folder)$mode))
})
expect_true(grepl("^marginswap-r-", seen[1]))
if (.Platform$OS.type == "unix") expect_identical(seen[2], "700")
expect_identical(left(), character())
ms_inspect(town)
expect_identical(left(), character())
expect_error(ms_protect(town, keys = "regoin"), class = "marginswap_error")
expect_identical(left(), character())
expect_error(marginswap:::in_folder(0, function(folder) stop("an error")), "an error")
expect_identical(left(), character())

# Large tables do not go to a memory that is too small.
options(marginswap.tempdir = NULL)
expect_identical(marginswap:::place_for(1e18), normalizePath(tempdir()))
options(marginswap.tempdir = place)

if (.Platform$OS.type != "unix" || !requireNamespace("processx", quietly = TRUE)) {
  options(before)
  exit_file("interrupts are tested where processx is, on unix")
}

# A program that never ends: what is interrupted is surely at work.
slow <- file.path(tempdir(), "slow")
writeLines(c(
  "#!/bin/sh", "if [ \"$1\" = --version ]; then echo 'marginswap 0.1.0'; exit 0; fi",
  "echo $$ > \"$MARGINSWAP_MARK\"", "exec sleep 300"
), slow)
Sys.chmod(slow, "0755")
mark <- tempfile("mark-")
session <- function(plainly) {
  code <- c(
    if (plainly) paste(
      "utils::assignInNamespace('run_watched', function(program, args, out, err, folder, progress)",
      "marginswap:::run_plainly(program, args, out, err, folder), 'marginswap')"
    ),
    "marginswap::ms_inspect(marginswap::town)"
  )
  unlink(mark)
  child <- processx::process$new(
    file.path(R.home("bin"), "Rscript"), c(rbind("-e", c(
      sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
      sprintf("options(marginswap.tempdir = %s)", deparse(place)), code
    ))),
    env = c("current", MARGINSWAP_PATH = slow, MARGINSWAP_MARK = mark), stdout = NULL, stderr = NULL
  )
  for (wait in 1:600) {
    if (length(readLines_if_there(mark))) break
    Sys.sleep(0.1)
  }
  child
}
readLines_if_there <- function(path) if (file.exists(path)) readLines(path, warn = FALSE)
is_running <- function(pid) tools::pskill(as.integer(pid), 0L)

# Interrupted: with processx by a signal to R alone, without it by one to both, as a terminal sends it.
for (plainly in c(FALSE, TRUE)) {
  child <- session(plainly)
  program <- readLines_if_there(mark)
  expect_identical(length(left()), 1L)
  expect_true(is_running(program))
  if (plainly) tools::pskill(as.integer(program), tools::SIGINT)
  child$interrupt()
  child$wait(20000)
  expect_false(child$is_alive())
  expect_identical(left(), character(), info = paste("plainly:", plainly))
  expect_false(is_running(program))
}

# Killed: the next call removes what it finds, and no folder of a session that lives.
child <- session(FALSE)
program <- readLines_if_there(mark)
child$kill()
child$wait(20000)
expect_identical(length(left()), 1L)
living <- file.path(place, paste(marginswap:::prefix_here(), Sys.getpid(), "mine", sep = "-"))
dir.create(living)
ms_inspect(town)
expect_identical(left(), basename(living))
if (is_running(program)) tools::pskill(as.integer(program))

unlink(c(place, slow, mark), recursive = TRUE)
options(before)
