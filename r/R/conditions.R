# What is raised. A refusal gives place, cause and remedy, and never a value of the data.

# Stops with a refusal, of the program or of this package.
refuse <- function(detail, remedy, code = NULL, place = "", title = "", exit_code = 2L) {
  stop(refusal(detail, remedy, code, place, title, exit_code))
}

refusal <- function(detail, remedy, code = NULL, place = "", title = "", exit_code = 2L) {
  head <- c(if (!is.null(code)) paste0("[", code, "]"), if (nzchar(title)) title)
  lines <- c(
    if (length(head)) paste(head, collapse = " "),
    if (nzchar(place)) paste0("  --> ", place),
    paste0("  ", strsplit(detail, "\n", fixed = TRUE)[[1]]),
    paste0("  ", strsplit(remedy, "\n", fixed = TRUE)[[1]])
  )
  structure(
    class = c(
      if (!is.null(code)) paste0("marginswap_", code),
      "marginswap_error", "error", "condition"
    ),
    list(
      message = paste(trimws(lines, "right"), collapse = "\n"), call = NULL, code = code, title = title,
      place = place, detail = detail, remedy = remedy, exit_code = exit_code
    )
  )
}

# Says what is worth a word and stops nothing: a warning of the program as one of R, a note as a
# message.
tell <- function(notes) {
  for (note in notes) {
    words <- sub("^(warning|note): ", "", note)
    if (startsWith(note, "warning: ")) {
      warning(structure(
        class = c("marginswap_warning", "warning", "condition"),
        list(message = words, call = NULL)
      ))
    } else {
      message(structure(
        class = c("marginswap_note", "message", "condition"),
        list(message = paste0(words, "\n"), call = NULL)
      ))
    }
  }
}
