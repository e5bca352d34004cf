# Pictures: the program's own where a viewer can show it, else a plain one on R's device.

plot.ms_answer <- function(x, file = NULL, viewer = getOption("viewer"), ...) {
  svg <- attr(x, "svg")
  if (!is.null(file)) {
    if (is.null(svg)) {
      refuse("this answer has no picture", "see its text", "E111", title = "missing setting")
    }
    mask <- Sys.umask("077")
    on.exit(Sys.umask(mask))
    write_lines(svg, file)
    return(invisible(x))
  }
  if (interactive() && is.function(viewer) && !is.null(svg)) {
    # A viewer shows what is below the session's own folder.
    page <- tempfile("marginswap-", fileext = ".html")
    write_lines(c("<!DOCTYPE html><meta charset=\"utf-8\">", svg), page)
    viewer(page)
    return(invisible(x))
  }
  draw(x, ...)
  invisible(x)
}

plot.ms_report <- function(x, viewer = getOption("viewer"), ...) {
  page <- tempfile("marginswap-", fileext = ".html")
  write_lines(x$html, page)
  if (!interactive()) return(invisible(x))
  if (is.function(viewer)) viewer(page) else utils::browseURL(page)
  invisible(x)
}

draw <- function(x, ...) UseMethod("draw")

draw.default <- function(x, ...) {
  refuse("this answer has no picture", "see its text, or as.data.frame()", "E111", title = "missing setting")
}

# Colours that everybody can tell apart (Okabe and Ito).
colours <- c(kept = "#0072B2", moved = "#E69F00", bad = "#D55E00", good = "#009E73", none = "#BBBBBB")

bars <- function(numbers, main, col = colours[["kept"]], ...) {
  numbers <- unlist(numbers)
  before <- graphics::par(mar = c(4, 11, 3, 3), las = 1)
  on.exit(graphics::par(before))
  at <- graphics::barplot(
    rev(numbers), horiz = TRUE, names.arg = rev(gsub("_", " ", names(numbers))), col = rev(col),
    border = NA, main = main, xlim = c(0, max(1, numbers) * 1.15), ...
  )
  # Each with digits of its own: counts stand beside shares.
  labels <- vapply(rev(numbers), format, "", big.mark = ",", trim = TRUE, digits = 3)
  graphics::text(rev(numbers), at, labels, pos = 4)
}

draw.ms_inspect <- function(x, ...) {
  columns <- x$columns
  bars(stats::setNames(columns$levels, columns$name), "Levels of each column", ...)
}

draw.ms_screen <- function(x, ...) {
  bars(
    x[c("records", "swappable", "disclosed", "sample_uniques", "swappable_uniques", "disclosed_uniques")],
    "Records, swappable and disclosed", col = rep(colours[c("none", "good", "bad")], 2), ...
  )
}

draw.ms_plan <- function(x, ...) {
  if (is.null(attr(x, "text"))) x <- ms_load_plan(x)
  numbers <- unclass(x)[c("at_risk", "separable", "separated", "records_changed")]
  bars(Filter(function(n) is.numeric(n) && length(n) == 1L, numbers), "People at risk, and records that change", ...)
}

# All two-way tables as a triangle: kept exactly, or coloured by how far they moved.
draw.ms_verify <- function(x, ...) {
  table <- paired(x$two_way)
  if (nrow(table) == 0L) draw.default(x)
  names <- unique(c(table$variable_1, table$variable_2))
  size <- length(names)
  before <- graphics::par(mar = c(7, 8, 3, 1), las = 2)
  on.exit(graphics::par(before))
  graphics::plot(
    NA, xlim = c(0.5, size - 0.5), ylim = c(size + 0.5, 1.5), axes = FALSE, xlab = "", ylab = "",
    main = "Two-way tables: kept exactly, or moved", asp = 1
  )
  graphics::axis(1, seq_len(size - 1), names[-size], tick = FALSE)
  graphics::axis(2, seq_len(size)[-1], names[-1], tick = FALSE)
  left <- match(table$variable_1, names)
  right <- match(table$variable_2, names)
  moved <- table$total_variation
  most <- max(moved, 1e-9)
  shade <- grDevices::colorRampPalette(c("#FFF3D6", colours[["moved"]], colours[["bad"]]))(101)
  fill <- ifelse(table$kept, colours[["kept"]], shade[1 + round(100 * moved / most)])
  x_at <- pmin(left, right)
  y_at <- pmax(left, right)
  graphics::rect(x_at - 0.48, y_at - 0.48, x_at + 0.48, y_at + 0.48, col = fill, border = NA)
  graphics::text(x_at, y_at, ifelse(table$kept, "kept", sprintf("%.1f %%", 100 * moved)), cex = 0.7,
    col = ifelse(table$kept, "white", "black"))
}

draw.ms_release <- function(x, ...) draw.ms_verify(x, ...)

draw.ms_frontier <- function(x, ...) {
  plans <- listed_in(x)
  best <- plans$undominated
  graphics::plot(
    100 * plans$change, plans$matched, pch = 19, col = ifelse(best, colours[["kept"]], colours[["none"]]),
    xlab = "change of two-way tables that are not kept, %", ylab = "people matched",
    main = "Plans: risk against change", ...
  )
}

draw.ms_risk <- function(x, ...) {
  estimated <- function(tau) if (is.list(tau)) tau[[1]] else tau
  bars(c(
    `sample uniques` = x$sample_uniques, `unique in the population` = estimated(x$tau1),
    `correct if matched` = estimated(x$tau2)
  ), "Sample uniques, and what the model says of them", ...)
}

draw.ms_explain <- function(x, ...) {
  separators <- x$separators
  if (!is.data.frame(separators) || !all(c("agree", "partners") %in% names(separators))) draw.default(x)
  labels <- vapply(separators$separator, function(names) {
    if (length(names)) paste(names, collapse = ", ") else "(none)"
  }, "")
  bars(stats::setNames(separators$partners, labels), "Partners, separator by separator", ...)
}

draw.ms_graph <- function(x, ...) {
  names <- x$variables
  angle <- 2 * pi * (seq_along(names) - 1) / length(names)
  at <- cbind(cos(angle), sin(angle))
  before <- graphics::par(mar = c(1, 1, 3, 1))
  on.exit(graphics::par(before))
  graphics::plot(at, xlim = c(-1.5, 1.5), ylim = c(-1.3, 1.3), axes = FALSE, xlab = "", ylab = "",
    type = "n", asp = 1, main = "Joined: in one kept table")
  edges <- listed_in(x)
  from <- match(edges$from, names)
  to <- match(edges$to, names)
  graphics::segments(at[from, 1], at[from, 2], at[to, 1], at[to, 2], col = colours[["none"]], lwd = 2)
  graphics::points(at, pch = 19, cex = 2, col = colours[["kept"]])
  graphics::text(1.2 * at, labels = names)
}
