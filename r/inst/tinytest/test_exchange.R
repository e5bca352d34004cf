# Every kind of column comes back as it was, without the program: written as a file, and read again.

encode_tables <- marginswap:::encode_tables
through <- function(data, write = marginswap:::write_table) {
  encoded <- encode_tables(list(data = data))
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write(encoded$data, path)
  marginswap:::decode_table(path, data, encoded$data, same_lines = TRUE)
}
text_of <- function(x) unique(encode_tables(list(d = data.frame(x = x)))$d$x$text)
bits <- function(x) writeBin(as.double(unclass(x)), raw())
same <- function(one, other) identical(one, other, num.eq = FALSE, single.NA = FALSE)

n <- 12L
kinds <- data.frame(
  whole = c(1:11, NA), number = c(0, 0.5, 2^53, 2^53 + 2, 0.1 + 0.2, 0.3, NA, NaN, Inf, -Inf, 1e-7, 1e5),
  truth = rep(c(TRUE, FALSE, NA), 4),
  text = c("", NA, "NA", "a,b", "q\"q", "line\nbreak", "\u00e9", "x\ry", " sp ", "<NA>", "007", "7"),
  stringsAsFactors = FALSE
)
kinds$minus <- c(0, -0, rep(1, 10))
kinds$latin1 <- rep(c(iconv("\u00e9t\u00e9", "UTF-8", "latin1"), "z"), 6)
kinds$broken <- rep(c("\xe9\xff", "z"), 6)
kinds$factor <- factor(c("b", "a", NA, rep("a", 9)), levels = c("unused", "b", "a", ""))
kinds$na_level <- addNA(factor(c("b", "a", NA, rep("a", 9))))
kinds$both_na <- structure(c(1L, 2L, NA, rep(1L, 9)), levels = c("a", NA), class = "factor")
kinds$ordered <- factor(rep(c("lo", "hi"), 6), levels = c("lo", "hi"), ordered = TRUE)
kinds$day <- as.Date("2024-01-01") + c(0:10, NA)
kinds$whole_day <- structure(c(0:10, NA), class = "Date")
kinds$half_day <- structure((0:11) / 2, class = "Date")
kinds$zone <- as.POSIXct("2024-10-27 00:30:00", tz = "UTC") + 1800 * (0:11)
attr(kinds$zone, "tzone") <- "Europe/Berlin"
kinds$split <- as.POSIXct(1.5 + 1e-6 * (0:11), origin = "1970-01-01")
kinds$raw <- as.raw(0:11)
kinds$span <- as.difftime(0:11, units = "mins")
kinds$nothing <- NA
kinds$no_text <- NA_character_
attr(kinds$whole, "label") <- "a label"
names(kinds)[1] <- "whole \u00fc, \"quoted\""
attr(kinds, "note") <- "of the table"
row.names(kinds) <- letters[1:n]

back <- through(kinds)
expect_true(identical(back, kinds))
for (name in names(kinds)) expect_true(same(back[[name]], kinds[[name]]), info = name)
expect_identical(bits(back$number), bits(kinds$number))
expect_identical(bits(back$minus), bits(kinds$minus))
expect_identical(Encoding(back$latin1), Encoding(kinds$latin1))

# Without data.table, with lines that need no quotes, and with none at all.
simple <- data.frame(a = c(1, 2, NA), b = c("x", NA, "y"), stringsAsFactors = TRUE)
expect_identical(through(simple), simple)
expect_identical(through(kinds[0, ]), kinds[0, ])
expect_identical(through(kinds["no_text"]), kinds["no_text"])
expect_identical(through(simple["a"]), simple["a"])

# A haven column with labels and tagged missing values.
if (requireNamespace("haven", quietly = TRUE)) {
  answers <- haven::labelled(
    c(1, 2, 9, NA, haven::tagged_na("a"), haven::tagged_na("z"), 1), c(yes = 1, no = 2), label = "Q1"
  )
  back <- through(data.frame(q = answers))$q
  expect_identical(bits(back), bits(answers))
  expect_identical(attributes(back), attributes(answers))
  expect_identical(text_of(answers), c("1", "2", "9", "", "NA(a)", "NA(z)"))
}
if (requireNamespace("bit64", quietly = TRUE)) {
  long <- data.frame(a = 1:5)
  long$id <- bit64::as.integer64(c("0", "-1", NA, "9223372036854775807", "-2"))
  expect_identical(bits(through(long)$id), bits(long$id))
  expect_identical(class(through(long)$id), "integer64")
}
if (requireNamespace("tibble", quietly = TRUE)) {
  expect_identical(through(tibble::as_tibble(simple)), tibble::as_tibble(simple))
}
if (requireNamespace("data.table", quietly = TRUE)) {
  table <- data.table::data.table(a = 3:1, b = c("x", NA, ""))
  back <- through(table)
  expect_true(data.table::is.data.table(back))
  expect_identical(as.list(back), as.list(table))
  # A key tells of lines, which are others now; a column can be added without a warning.
  data.table::setkeyv(table, "a")
  expect_null(data.table::key(through(table)))
  expect_silent(data.table::set(back, j = "c", value = 1L))
}

# What the program reads: text as it is written, numbers as people write them.
expect_identical(text_of(c(7, 100000, 2^53, 0.5, 1e-7, 0.1 + 0.2, 123456789012345678)),
  c("7", "100000", "9007199254740992", "0.5", "0.0000001", "0.30000000000000004", "123456789012345680"))
expect_identical(text_of(100000L), "100000")
expect_identical(text_of(c(0, -0)), c("0", "-0"))
expect_identical(text_of(as.Date("2024-02-29")), "2024-02-29")
expect_identical(text_of(kinds$zone[c(1, 3)]), c("2024-10-27T02:30:00+0200", "2024-10-27T02:30:00+0100"))

# A missing value has a mark that no value has, the same in both tables of a comparison.
two <- encode_tables(list(
  data = data.frame(x = c("", NA, "NA")), after = data.frame(x = c(NA, "a"), y = c(1, NA))
))
expect_identical(two$data$x$text, c("", "<NA>", "NA"))
expect_identical(two$after$x$text, c("<NA>", "a"))
expect_identical(two$after$y$text, c("1", ""))
# A mark that the settings must name is no value anywhere.
apart <- encode_tables(list(data = data.frame(x = c("", NA), y = c("NA", "a"))))
expect_identical(apart$data$x$text, c("", "<NA>"))
# A code of the settings is the mark, where it is no value.
coded <- encode_tables(list(data = data.frame(x = c("a", NA), y = c("none", NA))), "none")
expect_identical(lapply(coded$data, `[[`, "text"), list(x = c("a", "none"), y = c("none", "")))

# What has no categories is refused by name, and no value is told.
refused <- function(data, code, place) {
  error <- tryCatch(encode_tables(list(data = data)), error = identity)
  expect_inherits(error, paste0("marginswap_", code))
  expect_true(grepl(place, error$place, fixed = TRUE), info = error$place)
}
refused(data.frame(ok = 1, odd = 1i), "E215", "column `odd`")
refused(data.frame(ok = 1, odd = I(list(1))), "E215", "column `odd`")
refused(data.frame(ok = 1:2, odd = I(matrix(1:4, 2))), "E215", "column `odd`")
refused(stats::setNames(data.frame(1, 2), c("a", "a")), "E207", "column `a`")
refused(stats::setNames(data.frame(1, 2), c("a", "")), "E208", "column 2")
refused(stats::setNames(data.frame(1, 2), c("a", NA)), "E208", "column 2")
refused(data.frame(), "E109", "data")
lt <- data.frame(a = 1)
lt$when <- as.POSIXlt("2024-01-01")
refused(lt, "E215", "column `when`")
# Two values of one text: the byte, and the text that shows it.
refused(data.frame(x = c("\xe9", "<e9>")), "E215", "column `x`")
