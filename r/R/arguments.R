# Arguments become flags of the program, by the one table of settings (settings.R). An argument is
# called like its flag, with `_` for `-`; a setting without a flag goes by its own name, and through
# a project file in the temporary folder.

argument_of <- function(row) {
  gsub("-", "_", if (nzchar(row$flag)) row$flag else row$name, fixed = TRUE)
}

# The settings that a command takes as arguments, by name.
settings_of <- function(command) {
  rows <- Filter(function(row) command %in% row$takes && row$name != "data", settings_table)
  names(rows) <- vapply(rows, argument_of, "")
  rows
}

# Gives a function the settings of a command as arguments: after the data come the tables and the
# keys, then its own arguments, then all others.
takes_settings <- function(command, first, fun) {
  own <- formals(fun)
  rows <- if (identical(command, "project")) all_settings() else settings_of(command)
  names <- setdiff(names(rows), names(own))
  begin <- intersect(c("keep", "keys"), names)
  empty <- function(names) stats::setNames(rep(list(NULL), length(names)), names)
  formals(fun) <- c(
    own[seq_len(first)], empty(begin), own[-seq_len(first)], empty(setdiff(names, begin))
  )
  fun
}

all_settings <- function() {
  rows <- Filter(function(row) length(row$takes) > 0L && row$name != "data", settings_table)
  names(rows) <- vapply(rows, argument_of, "")
  rows
}

# The settings that a function was given.
given_to <- function(command, frame = parent.frame(), except = character()) {
  rows <- if (identical(command, "project")) all_settings() else settings_of(command)
  given <- mget(setdiff(names(rows), except), envir = frame)
  Filter(Negate(is.null), given)
}

unusable <- function(argument, detail, remedy) {
  refuse(detail, remedy, "E403", sprintf("argument `%s`", argument), "unusable value", 2L)
}

# What is given to a command: flags, and the lines of a project file for what has no flag.
# `marks` are the texts of missing values in the given tables.
as_flags <- function(given, command, project, marks = character(), trs = NULL) {
  rows <- settings_of(command)
  given <- given[intersect(names(rows), names(given))]
  has_file <- !is.null(project$path)
  if (has_file && !is.null(trs)) {
    unusable("project", "it cannot be joined with the parameters of recordSwap",
      "write them under [trs] in the project file, and use ms_protect()")
  }
  named <- named_tables(given$keep)
  if (length(named)) {
    if (has_file) {
      unusable("keep", "names of tables are for a project file, and one is given",
        "write the named tables under [keep.named] there, or give the list without names")
    }
    given$named <- c(as.list(given$named), named)
    given$keep <- unname(given$keep[!nzchar(names(given$keep))])
  }
  # Missing values are codes of such, unless a project file says which are; an empty field is known
  # as one, except to who asks for classes of numbers.
  asks <- any(c("derive", "roughly", "keep_households", "missing") %in% names(given))
  if (!asks) marks <- if (!has_file) marks[nzchar(marks)]
  if ("missing" %in% names(rows) && (asks || length(marks))) {
    codes <- unlist(given$missing)
    codes <- unique(c(if (length(codes)) texts_of("missing", codes[!is.na(codes)]), marks))
    given$missing <- if (length(codes)) codes
  }
  flags <- character()
  for (argument in names(given)) {
    row <- rows[[argument]]
    value <- given[[argument]]
    if (!nzchar(row$flag)) {
      if (has_file) {
        unusable(argument, "it cannot be laid over a project file",
          sprintf("write it under [%s] in the project file", row$section))
      }
      next
    }
    if (row$kind == "switch") {
      if (!isTRUE(value) && !isFALSE(value)) unusable(argument, "it is on or off", "give TRUE or FALSE")
      if (!value && has_file) {
        unusable(argument, "a project file may switch it on, and FALSE cannot be laid over it",
          "take it out of the project file, and leave the argument out")
      }
      if (value) flags <- c(flags, paste0("--", row$flag))
      next
    }
    texts <- words_of(row, argument, value)
    # Joined, so that a value that begins with a dash is none of a flag. An empty list, as where all
    # tables have names, is nothing.
    if (length(texts)) flags <- c(flags, paste0("--", row$flag, "=", texts))
  }
  list(flags = flags, file = project_lines(given, trs))
}

# What is typed behind a flag, once for each time that it is given.
words_of <- function(row, argument, value) {
  switch(row$kind,
    names = paste(vapply(columns_of(argument, value), listed, ""), collapse = ","),
    name = listed(one_text(argument, columns_of(argument, value))),
    groups = vapply(groups_of(argument, value), function(group) paste(vapply(group, listed, ""), collapse = ","), ""),
    tables = tables_of(argument, value),
    rules = texts_of(argument, value),
    codes = texts_of(argument, value),
    path = absolute(one_text(argument, value)),
    files = absolute(texts_of(argument, value)),
    text = if (row$name == "model" && inherits(value, "formula")) {
      paste(tables_of(argument, value), collapse = " + ")
    } else {
      # A file of records is found from where R is, not from where the program runs.
      sub("^records:(?=.)", paste0("records:", folder_before(sub("^records:", "", one_text(argument, value)))),
        one_text(argument, value), perl = TRUE)
    },
    widths = paste0(vapply(names_of(argument, value), listed, ""), "=", texts_of(argument, value)),
    derived = derived_of(argument, value),
    stop("settings of kind ", row$kind, " have no flag")
  )
}

# Paths as they are found from anywhere.
absolute <- function(path) {
  path <- path.expand(path)
  paste0(folder_before(path), path)
}

# What a path lacks to be found from anywhere.
folder_before <- function(path) {
  ifelse(grepl("^(/|~|[A-Za-z]:|\\\\)", path), "", paste0(getwd(), "/"))
}

# A value as text: numbers as people write them.
texts_of <- function(argument, value) {
  value <- unlist(value, use.names = FALSE)
  if (is.factor(value)) value <- as.character(value)
  if (length(value) && !(is.character(value) || is.numeric(value)) || anyNA(value)) {
    unusable(argument, "text or numbers are expected", "see the help of the function")
  }
  if (is.character(value)) value else number_text(as.double(value))
}

one_text <- function(argument, value) {
  text <- texts_of(argument, value)
  if (length(text) != 1L) {
    unusable(argument, sprintf("one value is expected, and %d are given", length(text)), "give one")
  }
  text
}

columns_of <- function(argument, value) {
  if (inherits(value, "formula")) value <- all.vars(value)
  if (is.list(value)) value <- unlist(value, use.names = FALSE)
  if (length(value) == 0L) return(character())
  if (!is.character(value) || anyNA(value)) {
    unusable(argument, "names of columns are expected", "give them as text: c(\"region\", \"sex\")")
  }
  value
}

groups_of <- function(argument, value) {
  if (!is.list(value)) value <- list(value)
  lapply(unname(value), function(group) columns_of(argument, group))
}

names_of <- function(argument, value) {
  if (is.null(names(value)) || !all(nzchar(names(value)))) {
    unusable(argument, "every value must have the name of a column", "give it as c(age = 5)")
  }
  names(value)
}

derived_of <- function(argument, value) {
  texts <- texts_of(argument, value)
  named <- names(unlist(value))
  # So are files of groups.
  maps <- gregexpr("\\bmap\\([^\"]*\"\\K[^\"]+", texts, perl = TRUE)
  regmatches(texts, maps) <- lapply(regmatches(texts, maps), absolute)
  if (is.null(named)) return(texts)
  paste0(ifelse(nzchar(named), paste0(vapply(named, in_formula, ""), " = "), ""), texts)
}

# A name as it is typed in a list of names.
listed <- function(name) {
  if (grepl("[,`]|^\\s|\\s$", name)) paste0("`", gsub("`", "``", name, fixed = TRUE), "`") else name
}

# A name as it is typed in a table.
in_formula <- function(name) {
  if (grepl("^[[:alnum:]_.]+$", name)) name else paste0("`", gsub("`", "``", name, fixed = TRUE), "`")
}

# Tables: a formula, texts, or a list of these.
tables_of <- function(argument, value) {
  if (inherits(value, "formula")) {
    if (length(value) != 2L) {
      unusable(argument, "the formula has a left side", "write it as ~ region*sex + sex*age")
    }
    return(vapply(expanded(argument, value[[2]]), paste, "", collapse = "*"))
  }
  if (is.list(value)) {
    return(unlist(lapply(unname(value), function(one) tables_of(argument, one))))
  }
  texts_of(argument, value)
}

# The tables of a formula, as for loglin: `*` joins, `+` separates, `^` takes so many at a time.
expanded <- function(argument, term) {
  if (is.name(term)) return(list(in_formula(as.character(term))))
  operator <- if (is.call(term) && is.name(term[[1]])) as.character(term[[1]]) else ""
  across <- function(left, right) {
    both <- lapply(left, function(one) lapply(right, function(other) unique(c(one, other))))
    unique(unlist(both, recursive = FALSE))
  }
  if (operator == "(") return(expanded(argument, term[[2]]))
  if (operator == "+" && length(term) == 3L) {
    return(unique(c(expanded(argument, term[[2]]), expanded(argument, term[[3]]))))
  }
  if (operator %in% c("*", ":")) {
    return(across(expanded(argument, term[[2]]), expanded(argument, term[[3]])))
  }
  if (operator == "^" && is.numeric(term[[3]])) {
    terms <- expanded(argument, term[[2]])
    made <- terms
    for (again in seq_len(term[[3]] - 1)) made <- across(made, terms)
    size <- lengths(made)
    return(unique(lapply(made[size == max(size)], sort)))
  }
  # `count(age < 18)`, in a table of households.
  if (is.call(term) && operator == "count") {
    return(list(paste(deparse(term, width.cutoff = 500L), collapse = " ")))
  }
  unusable(argument, "the formula is no list of tables",
    "join columns with `*` and tables with `+`: ~ region*sex + sex*age")
}

named_tables <- function(keep) {
  if (!is.list(keep) || inherits(keep, "formula") || is.null(names(keep))) return(list())
  named <- keep[nzchar(names(keep))]
  lapply(named, function(one) paste(tables_of("keep", one), collapse = " + "))
}

# The project file for what has no flag.
project_lines <- function(given, trs) {
  text <- function(one) as.character(jsonlite::toJSON(enc2utf8(one), auto_unbox = TRUE))
  list_of <- function(many) as.character(jsonlite::toJSON(enc2utf8(as.character(many))))
  entries <- function(section, values, write) {
    if (length(values) == 0L) return(character())
    c(section, paste(vapply(names(values), text, ""), "=", vapply(values, write, "")))
  }
  if (length(given$scenarios)) names_of("scenarios", given$scenarios)
  c(
    trs_lines(trs, text, list_of),
    entries("[keep.named]", as.list(given$named), function(one) {
      text(paste(tables_of("named", one), collapse = " + "))
    }),
    entries("[risk.scenarios]", as.list(given$scenarios), function(one) {
      if (!is.list(one)) return(list_of(columns_of("scenarios", one)))
      parts <- lapply(one, function(columns) list_of(columns_of("scenarios", columns)))
      paste0("{ ", paste(names(parts), "=", parts, collapse = ", "), " }")
    }),
    entries("[swap.weights]", as.list(given$weights), function(one) texts_of("weights", one))
  )
}

# The preset of recordSwap.
trs_lines <- function(trs, text, list_of) {
  if (is.null(trs)) return(character())
  write <- function(value) {
    if (is.list(value)) return(paste0("[", paste(vapply(value, list_of, ""), collapse = ", "), "]"))
    if (is.numeric(value)) return(number_text(value))
    if (inherits(value, "AsIs")) list_of(value) else text(value)
  }
  c("[trs]", paste(names(trs), "=", vapply(trs, write, "")))
}
