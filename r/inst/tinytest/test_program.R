# The program is found where it is named, its version is checked, and its absence is told.

named <- function(path, code) {
  before <- options(marginswap.path = path)
  on.exit(options(before))
  error <- tryCatch(marginswap:::fitting_program(), error = identity)
  expect_inherits(error, paste0("marginswap_", code))
  expect_false(ms_available())
}
named(file.path(tempdir(), "nothing"), "E201")
if (.Platform$OS.type == "unix") {
  script <- function(says) {
    path <- tempfile("program-")
    writeLines(c("#!/bin/sh", sprintf("echo '%s'", says)), path)
    Sys.chmod(path, "0755")
    path
  }
  named(script("another 1.2.3"), "E223")
  named(script("marginswap 99.1.0"), "E223")
  fits <- script(paste("marginswap", utils::packageVersion("marginswap")))
  before <- options(marginswap.path = fits)
  expect_true(ms_available())
  options(before)

  # Installed in a folder of the user's own, it is found there; else on PATH. An empty option names
  # nothing, and hides what the environment names.
  options(marginswap.path = "")
  Sys.setenv(R_USER_DATA_DIR = tempfile("home-"), HOME = tempdir())
  expect_message(install_marginswap(fits), "marginswap")
  expect_identical(marginswap:::find_program(), normalizePath(marginswap:::installed_program()))
  expect_true(ms_available())
  expect_error(install_marginswap("no such program"), class = "marginswap_E201")
  unlink(marginswap:::installed_program())
  on_path <- tempfile("path-")
  dir.create(on_path)
  Sys.setenv(PATH = on_path)
  expect_error(marginswap:::find_program(), class = "marginswap_E201")
  file.copy(fits, file.path(on_path, "marginswap"))
  expect_identical(marginswap:::find_program(), normalizePath(file.path(on_path, "marginswap")))
  options(before)
}
