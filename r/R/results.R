# What the functions answer: lists with the fields of the program's JSON, and its text and picture
# beside them.

answer <- function(command, found) {
  tell(found$notes)
  fields <- found$fields
  if (!is.null(found$taken) && is.data.frame(found$taken)) fields$records_table <- found$taken
  made <- structure(
    as.list(fields), class = c(paste0("ms_", command), "ms_answer"),
    text = found$text, svg = found$svg, notes = found$notes, next_step = found$next_step
  )
  say_verdict(made)
  made
}

# A release: the table or the file, the plan, and everything that is known of it.
release <- function(found, data, path, plan, given, how, trs = NULL) {
  tell(found$notes)
  fields <- found$fields
  fields$released <- NULL
  fields$data <- data
  fields$path <- path
  fields$plan <- plan_at(plan)
  made <- structure(
    as.list(fields), class = c("ms_release", "ms_answer"),
    text = found$text, svg = found$svg, notes = found$notes, next_step = found$next_step,
    settings = list(given = given, project = how$project, trs = trs)
  )
  if (is.null(data) && is.null(path)) {
    tell("note: nothing was released: an unchanged copy protects nobody")
  }
  say_verdict(made)
  made
}

verdicts <- c(
  release = "release", review = "a reviewer must decide", do_not_release = "do not release"
)

say_verdict <- function(x) {
  if (is.null(x$verdict)) return(invisible())
  reasons <- NROW(x$reasons)
  why <- if (reasons) sprintf(" (%d %s: print the answer)", reasons, if (reasons == 1L) "reason" else "reasons")
  tell(paste0("note: Verdict: ", verdicts[[x$verdict]], why))
}

print.ms_answer <- function(x, ...) {
  cat(attr(x, "text"), sep = "\n")
  step <- attr(x, "next_step")
  if (length(step)) cat("next: ", paste(step, collapse = "\n"), "\n", sep = "")
  invisible(x)
}

print.ms_release <- function(x, ...) {
  NextMethod()
  if (!is.null(x$data)) {
    cat("$data: ", class(x$data)[1], " of ", nrow(x$data), " rows and ", ncol(x$data), " columns\n", sep = "")
  }
  if (!is.null(x$path)) cat("$path: ", x$path, "\n", sep = "")
  invisible(x)
}

format.ms_answer <- function(x, ...) attr(x, "text")

# The numbers of an answer, one for each line.
summary.ms_answer <- function(object, ...) {
  single <- vapply(object, function(field) {
    (is.numeric(field) || is.logical(field) || is.character(field)) && length(field) == 1L
  }, NA)
  single <- single & !names(object) %in% c("html", "path")
  numbers <- data.frame(
    what = names(object)[single],
    value = vapply(unclass(object)[single], function(value) {
      if (is.numeric(value)) format(value, digits = 6, big.mark = "") else as.character(value)
    }, "")
  )
  row.names(numbers) <- NULL
  structure(list(class = class(object)[1], numbers = numbers, reasons = object$reasons),
    class = "summary.ms_answer")
}

print.summary.ms_answer <- function(x, ...) {
  cat("<", x$class, ">\n", sep = "")
  numbers <- x$numbers
  if (nrow(numbers)) cat(paste0("  ", format(numbers$what), "  ", numbers$value), sep = "\n")
  if (NROW(x$reasons)) cat("  reasons: ", paste(x$reasons$reason, collapse = ", "), "\n", sep = "")
  invisible(x)
}

# As a data frame: the released table, or what the answer lists.
as.data.frame.ms_answer <- function(x, row.names = NULL, optional = FALSE, ...) {
  table <- x$records_table
  if (is.null(table)) table <- listed_in(x)
  if (!is.null(row.names)) row.names(table) <- row.names
  table
}

as.data.frame.ms_release <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (is.null(x$data)) {
    refuse("there is no table in memory", "read the released file, if one was written", "E111",
      title = "missing setting")
  }
  data <- as.data.frame(x$data)
  if (!is.null(row.names)) row.names(data) <- row.names
  data
}

listed_in <- function(x) UseMethod("listed_in")

listed_in.default <- function(x) summary(x)$numbers
listed_in.ms_inspect <- function(x) x$columns
listed_in.ms_verify <- function(x) paired(x$two_way)
listed_in.ms_report <- function(x) summary(x)$numbers[summary(x)$numbers$what != "html", ]
listed_in.ms_frontier <- function(x) {
  plans <- x$plans
  if (!is.data.frame(plans)) return(summary(x)$numbers)
  plans[vapply(plans, is.atomic, NA)]
}
listed_in.ms_graph <- function(x) {
  edges <- x$edges
  data.frame(
    from = as.character(vapply(edges, `[`, "", 1L)), to = as.character(vapply(edges, `[`, "", 2L))
  )
}

# Two-way tables with their variables in columns of their own.
paired <- function(two_way) {
  if (!is.data.frame(two_way)) return(data.frame())
  pairs <- data.frame(
    variable_1 = vapply(two_way$pair, `[`, "", 1L), variable_2 = vapply(two_way$pair, `[`, "", 2L)
  )
  cbind(pairs, two_way[names(two_way) != "pair"])
}

# A plan is a file. SECRET: anyone who has it can undo the swaps. What is in memory here is its place,
# so that a saved workspace does not hold it.
plan_at <- function(path) {
  if (inherits(path, "ms_plan")) return(path)
  if (is.null(path) || is.na(path)) return(NULL)
  path <- absolute(path)
  if (file.exists(path)) structure(list(path = path), class = c("ms_plan", "ms_answer"))
}

plan_path <- function(plan) {
  path <- if (inherits(plan, "ms_plan")) plan$path else absolute(one_text("plan", plan))
  if (!file.exists(path)) {
    refuse("there is no plan at this place; one that was not saved goes with its session",
      "make the plan again, and save it: ms_save_plan(plan, \"swap.plan\")", "E504",
      if (inherits(plan, "ms_plan")) "" else plan, "missing or damaged plan", 5L)
  }
  path
}

ms_load_plan <- function(path, seal_file = NULL) {
  path <- plan_path(path)
  in_folder(0, function(folder) {
    words <- c("show", path, if (!is.null(seal_file)) paste0("--seal-file=", absolute(seal_file)), "--json")
    run <- run_program(words, folder, FALSE)
    known <- list(command = "plan", says_missing = TRUE)
    if (run$status != 0L) raise(run, known)
    fields <- jsonlite::fromJSON(paste(run$stdout, collapse = "\n"), simplifyMatrix = FALSE)
    found <- list(
      fields = c(fields[setdiff(names(fields), c("json", "text", "path"))], path = path),
      text = without_hints(in_r(strsplit(fields$text, "\n", fixed = TRUE)[[1]], known), known),
      notes = notes_in(run$stderr, known)
    )
    answer("plan", found)
  })
}

ms_save_plan <- function(plan, path, force = FALSE) {
  from <- plan_path(plan)
  to <- absolute(one_text("path", path))
  if (file.exists(to) && !force) {
    refuse("the file exists", "give another name, or force = TRUE", "E803", path, "existing output file", 8L)
  }
  # Nobody else can read it, not even while it is written.
  mask <- Sys.umask("077")
  on.exit(Sys.umask(mask))
  staged <- paste0(to, ".new")
  if (!file.copy(from, staged, overwrite = TRUE, copy.mode = FALSE) || !file.rename(staged, to)) {
    unlink(staged)
    refuse("the plan cannot be written", "see whether you may write there", "E802", path, "unwritable file", 8L)
  }
  message(path, " is the plan: SECRET, it undoes the protection")
  invisible(plan_at(to))
}

print.ms_plan <- function(x, ...) {
  if (is.null(attr(x, "text"))) x <- ms_load_plan(x)
  cat("<plan: SECRET, it undoes the protection>\n")
  NextMethod()
}

summary.ms_plan <- function(object, ...) {
  if (is.null(attr(object, "text"))) object <- ms_load_plan(object)
  summary.ms_answer(object)
}
