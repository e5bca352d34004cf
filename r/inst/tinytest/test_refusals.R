# Errors are conditions with code, place and remedy; no message holds a value.
if (!ms_available()) exit_file("the program marginswap is not here")

refused <- function(call, code, place = NULL) {
  error <- tryCatch(suppressMessages(call), error = identity)
  expect_inherits(error, c("marginswap_error", "error", "condition"))
  expect_inherits(error, paste0("marginswap_", code))
  expect_identical(error$code, code)
  if (!is.null(place)) expect_identical(error$place, place)
  expect_true(nzchar(error$remedy))
  expect_false(grepl("/dev/shm|--[a-z]|secret-value", conditionMessage(error)))
  invisible(error)
}
keys <- c("region", "age")
error <- refused(ms_protect(town, keys = "regoin", keep = ~ region * sex), "E105", "argument `keys`")
expect_identical(error$exit_code, 2L)
expect_true(grepl("region", error$remedy))
refused(ms_protect(town, keys = keys, keep = ~ regoin * sex), "E101", "argument `keep`")
refused(ms_protect(town, keep = ~ region * sex), "E111")
refused(ms_protect(town, keys = keys, keep = ~ region, out = "x.csv"), "E116", "argument `out`")
refused(ms_protect(town, keys = keys, keep = ~ region, households_file = "x.csv"), "E116")
refused(ms_protect(as.matrix(town), keys = keys), "E403", "argument `data`")
refused(ms_protect("no such file.csv", keys = keys, keep = ~ region, out = tempfile()), "E201", "no such file.csv")
refused(ms_protect(town, project = "no such project.toml"), "E404")
refused(ms_explain(town, record = 900, keep = ~ region * sex), "E110", "town")
refused(ms_explain(town, keep = ~ region * sex), "E111")
refused(ms_explain(town, pair = 1, keep = ~ region * sex), "E403", "argument `pair`")
refused(ms_verify(town, town, keep = ~ region * sex, reveal = "all"), "E403", "argument `reveal`")
refused(ms_inspect(town, project = 3), "E403", "argument `project`")
# A table in memory is no file; a file is one.
expect_identical(error$detail, "`regoin` is not a column of the table")
written <- tempfile(fileext = ".csv")
write.csv(town, written, row.names = FALSE)
error <- refused(ms_screen(written, keys = "regoin", keep = ~ region * sex), "E105")
expect_identical(error$detail, "`regoin` is not a column of the file")
unlink(written)
error <- refused(ms_inspect(town[0, ]), "E210", "data")
expect_identical(error$detail, "the table has no records")
refused(ms_apply(town, "no such.plan"), "E504", "no such.plan")
ages <- town
ages$years <- as.character(rep(0:99, 4))
ages$years[7] <- "secret-value"
refused(ms_protect(ages, keys = keys, keep = ~ decade, derive = c(decade = "band(years, 10)")), "E134",
  "ages, row 7, column `years`")
plan <- suppressMessages(ms_plan(town, keys = c("region", "occupation"), keep = ~ region * sex, demo_seed = 1))
refused(ms_apply(town[-1, ], plan), "E501")
broken <- tempfile(fileext = ".toml")
writeLines(c("[keep]", "tabels = [\"region\"]"), broken)
error <- refused(ms_protect(town, project = broken), "E402")
expect_true(grepl("line 2", error$place))
unlink(broken)

error <- tryCatch(ms_protect(town, keys = keys, keep = ~ region, budget = "many"), error = identity)
expect_inherits(error, "marginswap_error")
expect_identical(error$place, "argument `budget`")

# recordSwap: what is not done is said.
refused(ms_record_swap(town, hierarchy = "region", risk = 1), "E403", "argument `risk`")
refused(ms_record_swap(town, hierarchy = "region", return_swapped_id = TRUE), "E403")
refused(ms_record_swap(town, hierarchy = 9), "E403", "argument `hierarchy`")
refused(ms_record_swap(town, hierarchy = "region", swaprate = 5), "E403", "argument `swaprate`")
refused(ms_record_swap(town, hierarchy = "region", kepe = ~ region), "E403", "argument `kepe`")
expect_warning(suppressMessages(ms_record_swap(town, hierarchy = "region", similar = "sex",
  risk_variables = c("age", "occupation"), seed = 1)), "NOT FOR RELEASE")

# A warning of the program is one of R.
expect_warning(suppressMessages(ms_protect(town, keys = keys)), class = "marginswap_warning")
