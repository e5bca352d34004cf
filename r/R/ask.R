# One question to the program: the tables go into a temporary folder, the answer comes back.

# `tables` are the data by their place in the question (`data`, `after`), each a table or the path of
# a file. `words` are the command's own words, `outputs` the files it writes in the folder, `take` what
# is read from there before the folder goes, `beside` a plan that is there while it is asked.
ask <- function(command, tables, given, how, words = character(), outputs = character(),
                take = function(folder, encoded) NULL, picture = TRUE, trs = NULL, beside = NULL) {
  project <- as_project(how$project)
  given <- c(given, project$settings[setdiff(names(project$settings), names(given))])
  tables <- Filter(Negate(is.null), tables)
  frames <- Filter(is.data.frame, tables)
  for (place in setdiff(names(tables), names(frames))) check_path(tables[[place]], place)
  # A table in memory has names, whatever they look like.
  if (length(frames)) given$header <- TRUE
  for (place in names(frames)) {
    if (length(frames[[place]]) && nrow(frames[[place]]) == 0L) {
      refuse("the table has no records", "give a table that has records", "E210", place, "no records", 3L)
    }
  }
  encoded <- encode_tables(frames, missing_codes(given, project))
  flags <- as_flags(given, command, project, marks_in(encoded), trs)
  in_folder(3 * bytes_of(encoded) + 2^20, function(folder) {
    # The program runs in the folder, so that its answers name files shortly, and no project file is
    # found where R happens to be.
    paths <- vapply(names(tables), function(place) {
      if (!place %in% names(encoded)) return(absolute(tables[[place]]))
      write_table(encoded[[place]], file.path(folder, file_of[[place]]))
      file_of[[place]]
    }, "")
    if (length(flags$file)) write_lines(flags$file, file.path(folder, "marginswap.toml"))
    if (length(beside)) file.copy(beside, file.path(folder, "beside.plan"), copy.mode = FALSE)
    args <- c(
      command, paths, words, flags$flags,
      if (!is.null(project$path)) paste0("--project=", project$path),
      if (length(outputs)) paste0(names(outputs), "=", outputs),
      if (picture) "--svg=picture.svg", "--json",
      if (!is.null(how$threads)) paste0("--threads=", one_text("threads", how$threads))
    )
    run <- run_program(args, folder, isTRUE(how$progress))
    svg <- file.path(folder, "picture.svg")
    known <- list(
      paths = paths, tables = names(encoded), shown = how$shown, command = command,
      beside = c(given[c("scenarios", "weights")], list(named = c(as.list(given$named), named_tables(given$keep)))),
      trs = trs, says_missing = length(given$missing) > 0L
    )
    if (!run$status %in% 0:1) raise(run, known)
    fields <- jsonlite::fromJSON(paste(run$stdout, collapse = "\n"), simplifyMatrix = FALSE)
    text <- strsplit(fields$text, "\n", fixed = TRUE)[[1]]
    fields <- fields[setdiff(names(fields), c("json", "text"))]
    list(
      fields = rapply(fields, function(text) in_r(text, known), "character", how = "replace"),
      text = without_hints(in_r(text, known), known),
      svg = if (file.exists(svg)) paste(read_utf8(svg), collapse = "\n"),
      notes = notes_in(run$stderr, known),
      next_step = next_in(run$stderr, known),
      taken = take(folder, encoded)
    )
  })
}

# What the tables are called while they are files.
file_of <- c(data = "data.csv", after = "released.csv")

# How a call runs beside its settings: what each function is given at its end.
how <- function(frame = parent.frame(), shown = "data") {
  list(
    project = frame$project, threads = frame$threads, shown = shown,
    progress = if (is.null(frame$progress)) interactive() else frame$progress
  )
}

# What the data are called where the user wrote them.
shown_as <- function(expression) {
  if (is.name(expression)) as.character(expression) else "data"
}

check_path <- function(data, place) {
  if (is.character(data) && length(data) == 1L && !is.na(data)) return(invisible())
  remedy <- if (inherits(data, "sdcMicroObj")) {
    "give its table: sdcMicro::extractManipData() or @origData"
  } else {
    "give a data.frame, tibble or data.table, or the path of a CSV or Parquet file"
  }
  refuse(
    sprintf("an object of class %s is no table", class(data)[1]), remedy, "E403",
    sprintf("argument `%s`", place), "unusable value", 2L
  )
}

# The texts that stand for missing values.
marks_in <- function(encoded) {
  unique(unlist(lapply(encoded, function(table) {
    lapply(table, function(column) column$text[column$missing])
  })))
}

write_lines <- function(lines, path) {
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(enc2utf8(as.character(lines)), connection, useBytes = TRUE)
}

# An error of the program as a condition of R.
raise <- function(run, known) {
  told <- tryCatch(
    jsonlite::fromJSON(paste(run$stdout, collapse = "\n"))$error,
    error = function(e) NULL
  )
  if (run$status %in% c(2L, 130L) && is.null(told)) {
    refuse("the run was interrupted", "nothing was written", "E706", title = "run stopped on request",
      exit_code = 130L)
  }
  if (is.null(told)) {
    refuse(
      paste(c("the program ended without an answer", tidy(run$stderr, known)), collapse = "\n"),
      "please report this; the message holds no value of the data", "E601", title = "bug in marginswap",
      exit_code = run$status
    )
  }
  remedy <- told$remedy
  # Wrong usage is told in the words of a command line.
  if (is.null(told$code)) {
    flag <- regmatches(told$detail, regexpr("--[a-z-]+", told$detail))
    if (length(flag)) told$file <- flag
    told$detail <- gsub("'(--[a-z-]+) \\[?<[^>]*>\\]?'", "\\1", told$detail)
    remedy <- sub("`--help`.*", sprintf("see ?ms_%s", known$command), remedy)
  }
  shown <- if (is_of_tables(told, known)) in_words_of_tables else identity
  refuse(
    shown(tidy(told$detail, known)), shown(tidy(remedy, known)), told$code, place_of(told, known),
    told$title, told$exit_code
  )
}

# Is a refusal about a table in memory, and not about a file that the user named?
is_of_tables <- function(told, known) {
  file <- told$file
  nowhere <- is.null(file) || startsWith(file, "--")
  length(known$tables) > 0L && (nowhere || file %in% known$paths[known$tables])
}

# A message about a table in memory; names between backticks are as they were.
in_words_of_tables <- function(text) {
  names <- gregexpr("`[^`]*`", text)
  regmatches(text, names, invert = TRUE) <- lapply(regmatches(text, names, invert = TRUE), function(part) {
    part <- gsub("the names in the header", "the names of the columns", part, fixed = TRUE)
    gsub("\\b(the|released|original|a|this) file\\b", "\\1 table", part, perl = TRUE)
  })
  text
}

# Where the trouble is, in the words of R: an argument, or a row of the data.
place_of <- function(told, known) {
  file <- told$file
  if (is.null(file)) file <- ""
  at <- match(file, known$paths)
  column <- if (!is.null(told$column)) paste("column", told$column)
  if (startsWith(file, "--")) return(paste0("argument `", gsub("-", "_", substring(file, 3L)), "`"))
  if (file == "marginswap.toml") return("arguments")
  if (!is.na(at) && names(known$paths)[at] %in% known$tables) {
    row <- if (!is.null(told$line) && told$line > 1) sprintf("row %d", told$line - 1L)
    table <- if (names(known$paths)[at] == "data") known$shown else "the released table"
    return(paste(c(table, row, column), collapse = ", "))
  }
  line <- if (!is.null(told$line)) sprintf("line %d", told$line)
  paste(c(if (nzchar(file)) tidy(file, known), line, column), collapse = ", ")
}

# Texts of the program without the places of temporary files, and with arguments in place of flags.
tidy <- function(text, known) {
  shown <- c(
    if ("data" %in% known$tables) c(data.csv = known$shown), released.csv = "the released table"
  )
  for (file in names(shown)) {
    pattern <- paste0("(?<![\\w/\\\\.-])", gsub(".", "\\.", file, fixed = TRUE), "(?![\\w.])")
    text <- gsub(pattern, shown[[file]], text, perl = TRUE)
  }
  text <- gsub(paste0(getwd(), "/"), "", text, fixed = TRUE)
  with_arguments(text)
}

with_arguments <- function(text) {
  pattern <- "--([a-z][a-z-]*[a-z])"
  at <- gregexpr(pattern, text)
  regmatches(text, at) <- lapply(regmatches(text, at), function(flags) {
    paste0("`", gsub("-", "_", sub(pattern, "\\1", flags), fixed = TRUE), "`")
  })
  text <- gsub("``", "`", text, fixed = TRUE)
  text <- gsub("`([a-z_]+)`, or `[a-z_]+` under \\[[a-z]+\\]( in the project file)?", "`\\1`", text)
  text <- gsub("on the command line", "as an argument", text, fixed = TRUE)
  gsub("put commas between the names of several columns", "give several columns as c(\"a\", \"b\")", text, fixed = TRUE)
}

# What was said beside the answer: warnings and notes, each with the lines that belong to it.
notes_in <- function(said, known) {
  said <- said[!grepl("^(step|next): ", said) & nzchar(said)]
  # That a file is there is told of files that the user named.
  files <- grepl(" (is the (plan|internal report|external report|picture)|holds the picture|has a line for each)", said)
  own <- grepl("^(picture[.]svg|report[.]html|records[.]csv)", said) | startsWith(said, own_folder())
  said[files] <- paste("note:", said[files])
  said <- said[!(files & own)]
  begins <- grepl("^(warning|note): ", said)
  notes <- tapply(said, cumsum(begins), paste, collapse = "\n")
  notes <- unname(notes[grepl("^(warning|note): ", notes)])
  vapply(as.character(notes), tidy, "", known, USE.NAMES = FALSE)
}

next_in <- function(said, known) {
  at <- which(startsWith(said, "next: "))
  if (length(at) == 0L) return(NULL)
  # With a second line where something is to be added that is not repeated.
  lines <- said[at[length(at)]:length(said)]
  lines <- lines[c(TRUE, grepl("^ *# add ", lines[-1]))]
  without_hints(in_r(sub("^next: ", "", lines), known), known)
}

# Lines of text, where commands are calls of R.
in_r <- function(lines, known) {
  commands <- grepl("^ *marginswap [a-z]+( |$)", lines)
  # A job that is done is not lost for a line that cannot be read.
  lines[commands] <- vapply(lines[commands], function(line) {
    tryCatch(command_in_r(line, known), error = function(e) line)
  }, "")
  lines[!commands & !is.na(lines)] <- tidy(lines[!commands & !is.na(lines)], known)
  lines
}

# Texts without what only a command line has, and without codes of missing values that nobody gave:
# the package itself says which they are.
without_hints <- function(lines, known) {
  lines <- lines[!grepl("`json` gives every number", lines, fixed = TRUE)]
  if (known$says_missing) lines else lines[!grepl("^ *# add `missing` as you gave it", lines)]
}

# A command as a call: `marginswap screen survey.csv --keep 'region*sex'` is
# `ms_screen(survey, keep = "region*sex")`.
command_in_r <- function(line, known) {
  indent <- sub("^( *).*", "\\1", line)
  words <- shell_words(trimws(line))
  command <- words[2]
  rows <- settings_of(command)
  values <- list()
  files <- character()
  at <- 3L
  while (at <= length(words)) {
    word <- sub("^-o$", "--out", words[at])
    if (!startsWith(word, "--")) {
      files <- c(files, word)
    } else {
      flag <- sub("^--([^=]*).*", "\\1", word)
      argument <- gsub("-", "_", flag, fixed = TRUE)
      row <- rows[[argument]]
      alone <- flag %in% c("force", "shuffled", "json", "reveal") || identical(row$kind, "switch")
      value <- if (flag == "pair") {
        at <- at + 2L
        sprintf("c(%s, %s)", literal(NULL, words[at - 1L]), literal(NULL, words[at]))
      } else if (alone) "TRUE" else if (grepl("=", word, fixed = TRUE)) {
        sub("^[^=]*=", "", word)
      } else {
        at <- at + 1L
        words[at]
      }
      # The package's own files are no arguments.
      if (!value %in% c("released.csv", "report.html") && !startsWith(value, own_folder())) {
        values[[argument]] <- c(values[[argument]], if (alone || flag == "pair") value else literal(row, value))
      }
    }
    at <- at + 1L
  }
  if (known$command %in% c("protect", "apply") && length(known$tables)) values$force <- NULL
  # The package says it of every table in memory.
  if (length(known$tables)) values$header <- NULL
  # What went through a project file is no flag, and would be lost.
  if (command == known$command) {
    beside <- Filter(length, known$beside)
    values[names(beside)] <- lapply(beside, function(value) paste(deparse(value, width.cutoff = 500L), collapse = " "))
  }
  # A release brings its settings along.
  if (command %in% c("verify", "report") && "released.csv" %in% files) values <- list()
  places <- match(files, known$paths)
  file_shown <- function(file, place) {
    if (file == "released.csv" && "data" %in% known$tables) return("release")
    if (file == "DATA") return("data")
    if (startsWith(file, own_folder())) return("plan")
    if (is.na(place) || !names(known$paths)[place] %in% known$tables) return(dQuote(tidy(file, known), FALSE))
    known$shown
  }
  files <- unlist(Map(file_shown, files, places))
  grouped <- vapply(values, function(value) {
    if (length(value) == 1L) value else paste0("list(", paste(value, collapse = ", "), ")")
  }, "")
  arguments <- c(files, if (length(values)) paste(names(values), "=", grouped))
  swaps <- command == "protect" && !is.null(known$trs)
  if (swaps) arguments <- append(arguments, "...", 1L)
  paste0(indent, "ms_", if (swaps) "record_swap" else command, "(", paste(arguments, collapse = ", "), ")")
}

literal <- function(row, value) {
  quoted <- function(text) paste0("\"", gsub("([\"\\\\])", "\\\\\\1", text), "\"")
  if (!is.null(row) && row$kind %in% c("names", "groups")) {
    names <- strsplit(value, ",", fixed = TRUE)[[1]]
    if (!grepl("`", value, fixed = TRUE) && length(names) != 1L) {
      return(paste0("c(", paste(quoted(names), collapse = ", "), ")"))
    }
  }
  if (grepl("^[0-9]+$", value)) value else quoted(value)
}

# The words of a line as a shell reads them.
shell_words <- function(line) {
  words <- regmatches(line, gregexpr("('[^']*'|\\\\.|[^ '\\\\])+", line))[[1]]
  words <- gsub("'\\''", "\001", words, fixed = TRUE)
  gsub("\001", "'", gsub("'", "", words, fixed = TRUE), fixed = TRUE)
}
