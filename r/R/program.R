# The program: where it is, whether it fits this package, and how it is run.

# The places are looked at in this order; a place that the user named is the only one.
find_program <- function() {
  named <- getOption("marginswap.path", Sys.getenv("MARGINSWAP_PATH"))
  if (nzchar(named)) {
    if (!file.exists(named) || dir.exists(named)) {
      refuse(
        "there is no program at the place that was named",
        "see options(marginswap.path = ) or the environment variable MARGINSWAP_PATH",
        "E201", named, "missing file", 8L
      )
    }
    return(normalizePath(named))
  }
  found <- c(installed_program(), Sys.which("marginswap")[[1]], beside_python())
  found <- found[nzchar(found) & file.exists(found)]
  if (length(found) == 0L) {
    refuse(
      "the program marginswap is not found",
      paste0(
        "install_marginswap(\"path/to/marginswap\") copies it to where this package looks; ",
        "options(marginswap.path = ), MARGINSWAP_PATH and PATH work too"
      ),
      "E201", title = "missing program", exit_code = 8L
    )
  }
  normalizePath(found[1])
}

program_name <- function() if (.Platform$OS.type == "windows") "marginswap.exe" else "marginswap"

# Where `install_marginswap()` puts it.
installed_program <- function() {
  file.path(tools::R_user_dir("marginswap", "data"), program_name())
}

# Where the Python wheel puts it.
beside_python <- function() {
  homes <- Sys.getenv(c("VIRTUAL_ENV", "CONDA_PREFIX"))
  folders <- c(file.path(homes[nzchar(homes)], c("bin", "Scripts")), path.expand("~/.local/bin"))
  file.path(folders, program_name())
}

# The version of a program; it is looked at once, unless the file changes.
program_version <- function(program = find_program()) {
  changed <- paste(program, file.mtime(program))
  if (!identical(session$program, changed)) {
    told <- tryCatch(
      suppressWarnings(system2(program, "--version", stdout = TRUE, stderr = FALSE)),
      error = function(e) ""
    )
    found <- regmatches(told, regexpr("(?<=^marginswap )[0-9]+[.][0-9]+[.][0-9]+", told, perl = TRUE))
    if (length(found) != 1L) {
      refuse(
        "this is no program marginswap that runs here", "build it for this system, and name it again",
        "E223", program, "file of another program", 8L
      )
    }
    session$program <- changed
    session$version <- package_version(found)
  }
  session$version
}

# The program, if it speaks as this package expects.
fitting_program <- function() {
  program <- find_program()
  version <- program_version(program)
  wanted <- package_version(utils::packageVersion("marginswap"))
  if (!identical(version[1, 1:2], wanted[1, 1:2])) {
    refuse(
      sprintf("the program is version %s, this package is for version %s", version, wanted[1, 1:2]),
      "install the program and the package of one version",
      "E223", program, "program of another version", 8L
    )
  }
  program
}

ms_version <- function() program_version()

ms_available <- function() {
  tryCatch({
    fitting_program()
    TRUE
  }, marginswap_error = function(e) FALSE)
}

install_marginswap <- function(path) {
  if (!is.character(path) || length(path) != 1L || !file.exists(path) || dir.exists(path)) {
    refuse("there is no file of this name", "name the program marginswap", "E201",
      paste(path, collapse = ", "), "missing file", 3L)
  }
  version <- program_version(normalizePath(path))
  target <- installed_program()
  dir.create(dirname(target), recursive = TRUE, showWarnings = FALSE)
  # A program that runs cannot be overwritten, but it can be replaced.
  staged <- paste0(target, ".new")
  copied <- file.copy(path, staged, overwrite = TRUE) && Sys.chmod(staged, "0755") &&
    file.rename(staged, target)
  if (!copied) {
    unlink(staged)
    refuse("the program cannot be copied", "see whether you may write there", "E802", target,
      "unwritable file", 8L)
  }
  message("marginswap ", version, " is at ", target)
  invisible(target)
}

# Runs the program in a folder: its exit code, what it answered and what it said.
run_program <- function(args, folder, progress) {
  program <- fitting_program()
  out <- file.path(folder, "stdout")
  err <- file.path(folder, "stderr")
  # Texts are UTF-8 to the program wherever this runs.
  args <- enc2utf8(as.character(args))
  Encoding(args) <- "unknown"
  status <- if (requireNamespace("processx", quietly = TRUE)) {
    run_watched(program, args, out, err, folder, progress)
  } else {
    run_plainly(program, args, out, err, folder)
  }
  list(status = status, stdout = read_utf8(out), stderr = read_utf8(err))
}

read_utf8 <- function(path) {
  if (!file.exists(path)) return(character())
  readLines(path, encoding = "UTF-8", warn = FALSE)
}

driven <- c(MARGINSWAP_DRIVEN = "1", NO_COLOR = "1")

# With processx: shows each step as it begins, and an interrupt ends the program at once.
run_watched <- function(program, args, out, err, folder, progress) {
  process <- processx::process$new(
    program, args, stdout = out, stderr = err, wd = folder, env = c("current", driven), cleanup = TRUE
  )
  on.exit(if (process$is_alive()) {
    process$interrupt()
    process$wait(2000)
    process$kill()
  })
  shown <- ""
  while (process$is_alive()) {
    process$wait(200)
    if (!progress) next
    steps <- grep("^step: ", read_utf8(err), value = TRUE)
    latest <- sub("^step: ", "", steps[length(steps)])
    if (length(latest) && latest != shown) {
      cat("\r", formatC(latest, width = -40), file = stderr())
      shown <- latest
    }
  }
  if (nzchar(shown)) cat("\r", strrep(" ", 42), "\r", sep = "", file = stderr())
  process$get_exit_status()
}

# With base R alone.
run_plainly <- function(program, args, out, err, folder) {
  before <- Sys.getenv(names(driven), unset = NA)
  do.call(Sys.setenv, as.list(driven))
  home <- setwd(folder)
  on.exit({
    setwd(home)
    Sys.unsetenv(names(driven)[is.na(before)])
    if (!all(is.na(before))) do.call(Sys.setenv, as.list(before[!is.na(before)]))
  })
  suppressWarnings(system2(program, shQuote(args), stdout = out, stderr = err))
}
