# How a table goes to the program and comes back: the one place that knows the format between them.
#
# Values are only moved, so each column is handed over as texts, one for each distinct value, and is
# made again by looking the released texts up and taking the values of the given column that had
# them. Types, levels, labels, tags and attributes are therefore what they were. A text is readable
# (bands and rules are about it), the same for the same value in every table, and has one value in
# each column; that is looked at, not assumed.

# Tables as texts. Missing values get a mark that no value of their column has, the same in all
# tables, so that they can be compared; `codes` are what the settings call missing.
encode_tables <- function(tables, codes = character()) {
  encoded <- Map(encode_table, tables, names(tables))
  texts_of <- function(tables) {
    unlist(lapply(tables, function(table) lapply(table, `[[`, "text")), use.names = FALSE)
  }
  # Where there are empty texts too, a mark that no column has: the settings can name it.
  delayedAssign("apart", {
    texts <- texts_of(encoded)
    first_free(c("NA", "<NA>", paste0("<NA ", seq_len(length(texts) + 1L), ">")), texts)
  })
  for (name in unique(unlist(lapply(encoded, names)))) {
    having <- lapply(encoded, `[`, name)[vapply(encoded, function(table) name %in% names(table), NA)]
    texts <- texts_of(having)
    if (!anyNA(texts)) next
    mark <- first_free(c(codes, ""), texts)
    if (is.na(mark)) mark <- apart
    for (table in names(encoded)) {
      column <- encoded[[table]][[name]]
      if (is.null(column)) next
      column$text[is.na(column$text)] <- mark
      encoded[[table]][[name]] <- column
    }
  }
  encoded
}

# The first of some marks that no text is, if there is one.
first_free <- function(marks, texts) marks[!marks %in% texts][1]

encode_table <- function(data, place) {
  check_names(names(data), length(data), place)
  Map(function(column, name) encode_column(column, name, place), as.list(data), names(data))
}

check_names <- function(names, columns, place) {
  if (columns == 0L) {
    refuse("the table has no columns", "give a table with columns", "E109", place, "no variables", 3L)
  }
  unnamed <- if (is.null(names)) seq_len(columns) else which(is.na(names) | !nzchar(names))
  if (length(unnamed)) {
    refuse(
      "the name of a column is empty", "give every column a name",
      "E208", sprintf("%s, column %d", place, unnamed[1]), "column without a name", 3L
    )
  }
  twice <- names[duplicated(names)]
  if (length(twice)) {
    refuse(
      "two columns have the same name", "rename one of them",
      "E207", sprintf("%s, column `%s`", place, twice[1]), "duplicate column name", 3L
    )
  }
}

# One column: the text of every distinct value (NA where there is none), which of them each row has,
# and which of them are missing values.
encode_column <- function(x, name, place) {
  at <- sprintf("%s, column `%s`", place, name)
  if (inherits(x, "POSIXlt")) {
    refuse("a column of class POSIXlt is a list", "use as.POSIXct()", "E215", at, "unsupported column type", 3L)
  }
  if (is.list(x) || is.function(x) || is.language(x)) {
    refuse(
      "a column of lists has no categories", "make it text or numbers, or leave the column out",
      "E215", at, "unsupported column type", 3L
    )
  }
  if (!is.null(dim(x))) {
    refuse(
      "the column is a matrix", "give each of its columns a place of its own",
      "E215", at, "unsupported column type", 3L
    )
  }
  if (is.complex(x)) {
    refuse(
      "complex numbers are no categories", "make two columns of it, or leave the column out",
      "E215", at, "unsupported column type", 3L
    )
  }
  column <- if (is.factor(x)) {
    encode_factor(x)
  } else if (inherits(x, "integer64")) {
    encode_integer64(x, at)
  } else if (is.double(x)) {
    encode_double(x)
  } else if (is.integer(x) || is.logical(x) || is.character(x) || is.raw(x)) {
    encode_plain(x)
  } else {
    refuse(
      sprintf("a column of type %s has no categories", typeof(x)), "leave the column out",
      "E215", at, "unsupported column type", 3L
    )
  }
  if (anyDuplicated(column$text)) {
    refuse(
      "different values have the same text", "see whether the text of the column is sound UTF-8: validUTF8()",
      "E215", at, "unsupported column type", 3L
    )
  }
  column
}

encode_factor <- function(x) {
  code <- as.integer(x)
  text <- sound_text(levels(x))
  missing <- is.na(levels(x))
  # A level may be missing (addNA), and a value may have no level; these are two things.
  text[missing] <- "NA (level)"
  if (anyNA(code)) {
    code[is.na(code)] <- length(text) + 1L
    text <- c(text, NA)
    missing <- c(missing, TRUE)
  }
  list(code = code, text = text, missing = missing)
}

encode_plain <- function(x) {
  whole <- is.integer(x)
  values <- plain(x)
  distinct <- unique(values)
  code <- match(values, distinct)
  text <- if (inherits(x, "Date")) {
    date_text(as.double(distinct))
  } else if (inherits(x, "POSIXct")) {
    time_text(as.double(distinct), attr(x, "tzone"))
  } else if (whole) {
    ifelse(is.na(distinct), NA_character_, sprintf("%d", distinct))
  } else {
    sound_text(as.character(distinct))
  }
  list(code = code, text = text, missing = is.na(text))
}

encode_double <- function(x) {
  values <- plain(x)
  distinct <- unique(values)
  code <- match(values, distinct)
  text <- if (inherits(x, "Date")) {
    date_text(distinct)
  } else if (inherits(x, "POSIXct")) {
    time_text(distinct, attr(x, "tzone"))
  } else {
    number_text(distinct)
  }
  # What R takes for equal may differ in its bits: the sign of zero, and tags of missing values.
  apart <- character(length(values))
  zero <- which(values == 0)
  apart[zero[1 / values[zero] < 0]] <- "-0"
  gone <- which(is.na(values))
  apart[gone] <- tags(values[gone])
  marked <- which(nzchar(apart))
  more <- unique(apart[marked])
  code[marked] <- length(text) + match(apart[marked], more)
  text <- c(text, more)
  list(code = code, text = text, missing = is.na(text) | text == "NaN" | text %in% setdiff(more, "-0"))
}

# The tags of missing numbers, as `haven::tagged_na()` sets them; empty where there is none.
tags <- function(gone) {
  bytes <- matrix(writeBin(gone, raw(), endian = "big"), nrow = 8L)
  tag <- as.integer(bytes[4, ])
  tagged <- tag != 0L & bytes[7, ] == as.raw(0x07) & bytes[8, ] == as.raw(0xa2)
  shown <- sprintf("0x%02x", tag)
  letter <- tag > 32L & tag < 127L
  shown[letter] <- strsplit(rawToChar(as.raw(tag[letter])), "")[[1]]
  ifelse(tagged, sprintf("NA(%s)", shown), "")
}

encode_integer64 <- function(x, at) {
  if (!requireNamespace("bit64", quietly = TRUE)) {
    refuse(
      "the column is of class integer64, and the package bit64 is not installed",
      "install bit64, or make the column text", "E215", at, "unsupported column type", 3L
    )
  }
  values <- bit64::as.character.integer64(x)
  distinct <- unique(values)
  list(code = match(values, distinct), text = distinct, missing = is.na(distinct))
}

# A vector without anything that changes how it is compared.
plain <- function(x) {
  attributes(x) <- NULL
  x
}

# Texts as UTF-8; a byte that is no UTF-8 is shown by its number, a line break by its picture, so
# that every record is one line.
sound_text <- function(text) {
  text <- enc2utf8(text)
  odd <- !is.na(text) & !validUTF8(text)
  text[odd] <- iconv(text[odd], "UTF-8", "UTF-8", sub = "byte")
  text <- gsub("\n", "\u240a", text, fixed = TRUE)
  gsub("\r", "\u240d", text, fixed = TRUE)
}

# Numbers as people write them where that is enough to tell them apart, else with all digits.
number_text <- function(x) {
  text <- rep(NA_character_, length(x))
  text[is.nan(x)] <- "NaN"
  text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "Inf", "-Inf")
  finite <- which(is.finite(x))
  whole <- finite[x[finite] == round(x[finite]) & abs(x[finite]) < 1e21]
  text[whole] <- sub("^-0$", "0", sprintf("%.0f", x[whole]))
  broken <- setdiff(finite, whole)
  short <- sprintf("%.15g", x[broken])
  long <- as.double(short) != x[broken]
  short[long] <- sprintf("%.17g", x[broken][long])
  small <- grepl("e-", short, fixed = TRUE) & abs(x[broken]) > 1e-15
  short[small] <- vapply(short[small], without_exponent, "")
  text[broken] <- short
  text
}

# A small number without an exponent, digit for digit.
without_exponent <- function(text) {
  parts <- strsplit(text, "e-", fixed = TRUE)[[1]]
  digits <- gsub("[-.]", "", parts[1])
  sign <- if (startsWith(text, "-")) "-" else ""
  paste0(sign, "0.", strrep("0", as.integer(parts[2]) - 1L), digits)
}

date_text <- function(days) {
  text <- number_text(days)
  whole <- which(is.finite(days) & days == round(days) & abs(days) < 2.9e6)
  text[whole] <- format(structure(days[whole], class = "Date"), "%Y-%m-%d")
  text
}

# Times with their distance from UTC, so that no hour is there twice.
time_text <- function(seconds, zone) {
  text <- number_text(seconds)
  near <- which(is.finite(seconds) & abs(seconds) < 2.5e11)
  whole <- floor(seconds[near])
  rest <- seconds[near] - whole
  zone <- if (is.null(zone) || !nzchar(zone[1])) "UTC" else zone[1]
  shown <- format(as.POSIXlt(structure(whole, class = c("POSIXct", "POSIXt")), tz = zone),
    "%Y-%m-%dT%H:%M:%S|%z")
  rest <- ifelse(rest == 0, "", sub("^0", "", number_text(rest)))
  text[near] <- sub("+0000", "Z", mapply(sub, "|", rest, shown, MoreArgs = list(fixed = TRUE)), fixed = TRUE)
  text
}

# Bytes that tables take as text, roughly: enough to find a place for them.
bytes_of <- function(encoded) {
  of_column <- function(column) {
    sum((nchar(column$text, "bytes") + 3) * tabulate(column$code, length(column$text)))
  }
  sum(vapply(encoded, function(table) sum(vapply(table, of_column, 0)), 0))
}

# Writes a table. A field is quoted where it must be, and one alone on its line always.
write_table <- function(encoded, path) {
  quote <- function(text) {
    needs <- length(encoded) == 1L | grepl("[\",\r\n]|^\\s|\\s$", text)
    text[needs] <- paste0("\"", gsub("\"", "\"\"", text[needs], fixed = TRUE), "\"")
    text
  }
  header <- paste(quote(enc2utf8(names(encoded))), collapse = ",")
  columns <- lapply(encoded, function(column) quote(column$text)[column$code])
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(header, connection, useBytes = TRUE)
  if (length(columns[[1]]) == 0L) return(invisible())
  if (requireNamespace("data.table", quietly = TRUE)) {
    close(connection)
    on.exit()
    names(columns) <- paste0("V", seq_along(columns))
    data.table::fwrite(
      columns, path, append = TRUE, quote = FALSE, col.names = FALSE, eol = "\n",
      showProgress = FALSE
    )
  } else {
    writeLines(do.call(paste, c(unname(columns), sep = ",")), connection, useBytes = TRUE)
  }
}

# The texts of a released file, column by column, with their names.
read_texts <- function(path, plain = FALSE) {
  rows <- if (plain && requireNamespace("data.table", quietly = TRUE)) {
    data.table::fread(
      path, sep = ",", quote = "", header = FALSE, colClasses = "character", na.strings = NULL,
      strip.white = FALSE, encoding = "UTF-8", data.table = FALSE, showProgress = FALSE
    )
  } else {
    columns <- length(scan(
      path, "", sep = ",", quote = "\"", nlines = 1L, quiet = TRUE, na.strings = character(),
      encoding = "UTF-8", comment.char = ""
    ))
    scan(
      path, rep(list(""), columns), sep = ",", quote = "\"", quiet = TRUE, na.strings = character(),
      encoding = "UTF-8", comment.char = "", strip.white = FALSE, blank.lines.skip = FALSE
    )
  }
  columns <- lapply(rows, function(column) column[-1])
  names(columns) <- vapply(rows, function(column) column[1], "")
  columns
}

# Is there nothing in the table that must be quoted?
is_plain <- function(encoded) {
  texts <- c(names(encoded), unlist(lapply(encoded, `[[`, "text"), use.names = FALSE))
  length(encoded) > 1L && !any(grepl("[\",\r\n]|^\\s|\\s$", texts))
}

# The released table, with the values of the given one. Where its lines are those of the given one,
# its row names are too.
decode_table <- function(path, data, encoded, same_lines = FALSE) {
  released <- read_texts(path, is_plain(encoded))
  names <- names(released)
  if (!all(names %in% enc2utf8(names(data)))) stop("the released file has a column that was not given")
  positions <- match(names, enc2utf8(names(data)))
  columns <- Map(decode_column, released, encoded[positions], as.list(data)[positions], names)
  names(columns) <- names(data)[positions]
  rows <- length(columns[[1]])
  # What tells of lines tells nothing any more.
  kept <- attributes(data)
  kept <- kept[!names(kept) %in% c("sorted", "index", "groups", ".internal.selfref")]
  kept$names <- names(columns)
  if (!same_lines) kept$row.names <- .set_row_names(rows)
  kept$class <- setdiff(kept$class, c("grouped_df", "rowwise_df"))
  attributes(columns) <- kept
  if (inherits(columns, "data.table") && requireNamespace("data.table", quietly = TRUE)) {
    columns <- data.table::setalloccol(columns)
  }
  columns
}

decode_column <- function(texts, encoded, given, name) {
  found <- match(texts, encoded$text)
  if (anyNA(found)) stop("the released column `", name, "` has a value that the given one has not")
  first <- match(seq_along(encoded$text), encoded$code)
  kept <- attributes(given)
  value <- plain(given)[first[found]]
  attributes(value) <- kept[setdiff(names(kept), "names")]
  value
}
