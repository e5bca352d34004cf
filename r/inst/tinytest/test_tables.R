# Tables of every kind go through the whole job and come back as they were.
if (!ms_available()) exit_file("the program marginswap is not here")

protect <- function(data, ...) {
  suppressMessages(ms_protect(data, keys = c("region", "occupation"), keep = ~ region * sex, demo_seed = 1, ...))
}
# The values of a column with how often each is there, bit for bit.
counted <- function(x) {
  sort(vapply(seq_along(x), function(row) paste(serialize(x[row], NULL), collapse = ""), ""))
}

rich <- town[rep(seq_len(nrow(town)), length.out = 400), ]
row.names(rich) <- NULL
rich$number <- rep(c(2^53, 0.1 + 0.2, NA, -0.5), 100)
rich$whole <- rep(c(1L, NA, 100000L, -7L), 100)
rich$truth <- rep(c(TRUE, FALSE, NA, TRUE), 100)
rich$text <- rep(c("", NA, "NA", "a, \"b\"\nc"), 100)
rich$latin1 <- rep(c(iconv("\u00e9", "UTF-8", "latin1"), "z"), 200)
rich[["\u00dcber, \"x\""]] <- rep(c("\u5e74", "\u00df"), 200)
rich$day <- as.Date("2024-01-01") + rep(0:39, 10)
rich$time <- as.POSIXct("2024-10-27 00:30:00", tz = "UTC") + 1800 * rep(0:3, 100)
attr(rich$time, "tzone") <- "Europe/Berlin"
rich$nothing <- NA
rich$levels <- factor(rep(c("b", "a", NA, "b"), 100), levels = c("unused", "b", "a"))
if (requireNamespace("haven", quietly = TRUE)) {
  rich$labelled <- haven::labelled(rep(c(1, 2, NA, haven::tagged_na("a")), 100), c(yes = 1), label = "Q")
}
release <- protect(rich, ignore = setdiff(names(rich), names(town)))
for (name in names(rich)) {
  expect_identical(attributes(release$data[[name]]), attributes(rich[[name]]), info = name)
  expect_identical(counted(unclass(release$data[[name]])), counted(unclass(rich[[name]])), info = name)
}
expect_identical(attributes(release$data), attributes(rich))
expect_true(release$equal)
# What takes no part stays with its record.
beside <- function(data) sort(paste(data$marital, data$education, data$text, data$number, data$day))
expect_identical(beside(release$data), beside(rich))

# Numbers with gaps are banded, the gaps a class of their own.
ages <- town
ages$years <- rep(c(0:98, NA), 4)
found <- suppressMessages(ms_protect(ages, keys = c("region", "decade"), keep = ~ region * decade,
  derive = c(decade = "band(years, 10)"), demo_seed = 1))
expect_true(found$equal)
expect_identical(sort(found$data$years, na.last = TRUE), sort(ages$years, na.last = TRUE))

# Names may look like values; a table in memory has names.
years <- stats::setNames(town, c("region", "sex", "2021", "2022", "2023", "occupation"))
expect_identical(names(protect(years)$data), names(years))

# Classes come back, and row names when ids are released.
if (requireNamespace("tibble", quietly = TRUE)) {
  expect_identical(class(protect(tibble::as_tibble(town))$data), class(tibble::as_tibble(town)))
}
if (requireNamespace("data.table", quietly = TRUE)) {
  table <- data.table::as.data.table(town)
  expect_inherits(protect(table)$data, "data.table")
  expect_identical(as.data.frame(protect(table)), protect(town)$data)
}
named <- town
row.names(named) <- paste0("p", seq_len(nrow(named)))
expect_identical(row.names(protect(named)$data)[1:3], c("1", "2", "3"))
expect_identical(row.names(protect(named, order = "input")$data), row.names(named))
kept <- protect(named, release_id = TRUE)$data
expect_true(setequal(row.names(kept), row.names(named)))
expect_identical(kept$marital, named[row.names(kept), "marital"])
expect_identical(names(kept), names(named))

# Zero rows and impossible columns are refused, by name.
expect_error(protect(town[0, ]), class = "marginswap_E210")
odd <- town
odd$odd <- complex(400)
expect_error(protect(odd), "column `odd`", class = "marginswap_E215")
