# Targeted record swapping with the argument names of sdcMicro::recordSwap, for whoever comes from
# there.

ms_record_swap <- function(data, hid = NULL, hierarchy, similar = NULL, swaprate = 0.05, risk = NULL,
                           risk_threshold = 0, k_anonymity = 3, risk_variables = NULL,
                           carry_along = NULL, return_swapped_id = FALSE, log_file_name = NULL,
                           seed = NULL, seed_file = NULL, seal_file = NULL, force = FALSE,
                           project = NULL, threads = NULL, progress = NULL, ...) {
  how <- how(shown = shown_as(substitute(data)))
  if (!is.data.frame(data)) check_path(data, "data")
  columns <- function(argument, value) {
    if (is.numeric(value) && is.data.frame(data)) {
      if (!all(value %in% seq_along(data))) {
        unusable(argument, "it is no number of a column", "count columns from 1, or name them")
      }
      value <- names(data)[value]
    }
    columns_of(argument, value)
  }
  if (!is.null(risk) || !identical(as.double(risk_threshold), 0)) {
    unusable(if (is.null(risk)) "risk_threshold" else "risk", "risk values of your own are not read",
      "name the records at risk in a file: ms_protect(risky = \"records:FILE\")")
  }
  if (!isFALSE(return_swapped_id)) {
    unusable("return_swapped_id", "ids of partners undo the protection, and are not put into the released table",
      "see the plan of the answer, which is SECRET")
  }
  if (!is.null(log_file_name)) tell("note: no log is written: the answer counts the households without a partner")
  if (!is.null(seed)) {
    tell("warning: a number as seed can be guessed, so the result is NOT FOR RELEASE; `seed_file` repeats a run as well")
  }
  hierarchy <- columns("hierarchy", hierarchy)
  similar <- if (is.list(similar)) similar else if (length(similar)) list(similar)
  similar <- lapply(unname(similar), function(one) columns("similar", one))
  if (!is.numeric(k_anonymity) || length(k_anonymity) != 1L) unusable("k_anonymity", "one number is expected", "give 3")
  if (!is.numeric(swaprate) || length(swaprate) != 1L || is.na(swaprate) || swaprate < 0 || swaprate > 1) {
    unusable("swaprate", "a share between 0 and 1 is expected", "give 0.05 for 5 %")
  }
  trs <- list(
    hierarchy = I(hierarchy), similar = if (length(similar)) similar,
    carry_along = if (length(carry_along)) I(columns("carry_along", carry_along)),
    k_anonymity = k_anonymity,
    risk_variables = if (length(risk_variables)) I(columns("risk_variables", risk_variables)),
    # A share: 1 alone would be one record.
    swaprate = paste(number_text(100 * swaprate), "%"),
    hid = if (length(hid)) one_text("hid", columns("hid", hid))
  )
  more <- list(...)
  known <- names(settings_of("protect"))
  wrong <- setdiff(c(names(more), if (length(more) && is.null(names(more))) ""), known)
  if (length(wrong)) {
    unusable(wrong[1], "there is no argument of this name", "see ?ms_protect for further settings")
  }
  protect(data, more, how, seed_file, seed, seal_file, force, trs = Filter(Negate(is.null), trs))
}
