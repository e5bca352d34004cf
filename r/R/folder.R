# Temporary folders, for the owner alone (0700) and in memory where the system has such a place.
# What is in them is as secret as the data: they go when the call ends, however it ends, and what a
# killed session left is removed by the next one.

# The session's own folder holds plans that are kept nowhere else.
session <- new.env(parent = emptyenv())

# Runs `work` with a folder of its own, in a place with room for so many bytes.
in_folder <- function(bytes, work) {
  folder <- folder_name(place_for(bytes))
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  make_folder(folder)
  work(folder)
}

session_folder <- function() {
  # A forked process has its own, or it would remove its parent's.
  if (is.null(session$folder) || session$pid != Sys.getpid() || !dir.exists(session$folder)) {
    folder <- folder_name(place_for(0))
    make_folder(folder)
    session$folder <- folder
    session$pid <- Sys.getpid()
    reg.finalizer(session, remove_session_folder, onexit = TRUE)
  }
  session$folder
}

# The folder of the session, if it has one; else a name that nothing begins with.
own_folder <- function() if (is.null(session$folder)) "\001" else session$folder

remove_session_folder <- function(session) {
  if (!is.null(session$folder) && identical(session$pid, Sys.getpid())) {
    unlink(session$folder, recursive = TRUE, force = TRUE)
  }
}

# The name says whose folder it is, so that one without an owner can be told.
folder_name <- function(place) {
  name <- paste(prefix_here(), Sys.getpid(), basename(tempfile("")), sep = "-")
  file.path(place, name)
}

prefix_here <- function() {
  paste0("marginswap-r-", gsub("[^A-Za-z0-9]", "", Sys.info()[["nodename"]]))
}

make_folder <- function(folder) {
  remove_orphans(dirname(folder))
  if (!dir.create(folder, showWarnings = FALSE, mode = "0700")) {
    refuse(
      "no temporary folder can be made", "name a folder you may write to: options(marginswap.tempdir = )",
      place = dirname(folder), exit_code = 8L
    )
  }
  folder
}

# Where to put so many bytes: the folder of the option, else memory, else the disk.
place_for <- function(bytes) {
  own <- getOption("marginswap.tempdir")
  if (!is.null(own)) {
    return(normalizePath(own, mustWork = FALSE))
  }
  memory <- "/dev/shm"
  if (dir.exists(memory) && file.access(memory, 3L) == 0L && free_bytes(memory) > bytes) {
    return(memory)
  }
  normalizePath(tempdir(check = TRUE))
}

# What is free in a folder; nothing where the system does not tell.
free_bytes <- function(folder) {
  told <- tryCatch(
    suppressWarnings(system2("df", c("-Pk", shQuote(folder)), stdout = TRUE, stderr = FALSE)),
    error = function(e) character()
  )
  fields <- strsplit(trimws(told[length(told)]), " +")
  kilobytes <- if (length(fields)) suppressWarnings(as.numeric(fields[[1]][4])) else NA
  if (length(kilobytes) == 1L && !is.na(kilobytes)) 1024 * kilobytes else 0
}

# Removes what sessions of this user left here that are no more: they were killed.
remove_orphans <- function(place) {
  places <- c(place, Sys.glob(file.path(dirname(tempdir()), "Rtmp*")))
  found <- list.files(places, paste0("^", prefix_here(), "-[0-9]+-"), full.names = TRUE)
  pids <- as.integer(sub(paste0("^", prefix_here(), "-([0-9]+)-.*"), "\\1", basename(found)))
  gone <- !vapply(pids, is_alive, logical(1))
  mine <- file.access(found, 2L) == 0L
  unlink(found[gone & mine], recursive = TRUE, force = TRUE)
}

is_alive <- function(pid) {
  pid == Sys.getpid() || .Platform$OS.type != "unix" || tools::pskill(pid, 0L)
}
