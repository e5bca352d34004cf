# Settings that several calls share.

ms_project <- takes_settings("project", 1L, function(path = NULL) {
  if (!is.null(path)) {
    if (!is.character(path) || length(path) != 1L) {
      unusable("path", "the name of a project file is expected", "give \"marginswap.toml\"")
    }
    if (!file.exists(path)) {
      refuse("there is no project file of this name", "see the name; marginswap init writes one",
        "E404", path, "missing project file", 4L)
    }
    path <- normalizePath(path)
  }
  structure(list(path = path, settings = given_to("project")), class = "ms_project")
})

as_project <- function(project) {
  if (is.null(project)) return(list())
  if (inherits(project, "ms_project")) return(unclass(project))
  if (!is.character(project) || length(project) != 1L || is.na(project)) {
    unusable("project", "settings or the name of a project file are expected",
      "give ms_project(keep = ), or \"marginswap.toml\"")
  }
  unclass(ms_project(project))
}

# The codes of missing values that are no numbers, as the arguments or the project file name them:
# a missing value is written as such a code, so that the file's classes know it.
missing_codes <- function(given, project) {
  codes <- as.character(unlist(given$missing))
  if (length(codes) == 0L && !is.null(project$path)) {
    text <- paste(read_utf8(project$path), collapse = "\n")
    list <- regmatches(text, regexpr("(?m)^\\s*(columns[.])?missing\\s*=\\s*\\[[^]]*\\]", text, perl = TRUE))
    quoted <- regmatches(list, gregexpr("\"[^\"]*\"|'[^']*'", list))
    codes <- gsub("^.|.$", "", unlist(quoted))
  }
  codes[!is.na(codes) & is.na(suppressWarnings(as.numeric(codes)))]
}

print.ms_project <- function(x, ...) {
  if (!is.null(x$path)) cat("<marginswap project ", x$path, ">\n", sep = "")
  if (is.null(x$path)) cat("<marginswap project>\n")
  for (name in names(x$settings)) {
    value <- x$settings[[name]]
    cat("  ", name, " = ", paste(deparse(value, width.cutoff = 500L), collapse = " "), "\n", sep = "")
  }
  invisible(x)
}
