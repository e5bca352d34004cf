# The functions of the package: one for each command. Each says what its user asks for in the words of
# the command line; the settings come from the table of settings.

ms_inspect <- takes_settings("inspect", 1L, function(data = NULL, reveal = FALSE, project = NULL,
                                                     threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  words <- if (reveal) "--reveal"
  answer("inspect", ask("inspect", list(data = data), given_to("inspect"), how, words, picture = FALSE))
})

ms_graph <- takes_settings("graph", 1L, function(data = NULL, project = NULL, threads = NULL,
                                                 progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  answer("graph", ask("graph", list(data = data), given_to("graph"), how))
})

ms_screen <- takes_settings("screen", 1L, function(data = NULL, what_if = NULL, by = NULL,
                                                   reveal = FALSE, records = FALSE, project = NULL,
                                                   threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  words <- c(
    if (!is.null(what_if)) paste0("--what-if=", tables_of("what_if", what_if)),
    if (!is.null(by)) paste0("--by=", one_text("by", by)),
    if (reveal) "--reveal"
  )
  answer("screen", ask(
    "screen", list(data = data), given_to("screen"), how, words, records_out(records), read_records
  ))
})

ms_explain <- takes_settings("explain", 1L, function(data = NULL, record = NULL, pair = NULL,
                                                     partners = c("count", "all"), project = NULL,
                                                     threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  partners <- match.arg(partners)
  given <- given_to("explain")
  is_code <- is.character(data) && length(data) == 1L && !file.exists(data) &&
    grepl("^([Ee][0-9]+|codes)$", data)
  if (is_code) return(explain_code(data))
  if (is.null(record) == is.null(pair)) {
    refuse("say what is to be explained", "give `record`, or `pair` with two records", "E111",
      title = "missing setting")
  }
  if (!is.null(pair) && length(pair) != 2L) {
    unusable("pair", "two records are expected", "give both, as c(1, 2)")
  }
  named <- function(argument, value) {
    rows <- if (is.data.frame(data) && is.null(given$id) && is.character(value)) match(value, row.names(data))
    if (length(rows) && !anyNA(rows)) rows else value
  }
  words <- c(
    if (!is.null(record)) c(paste0("--record=", one_text("record", named("record", record)))),
    if (!is.null(pair)) c("--pair", texts_of("pair", named("pair", pair))),
    if (partners == "all") "--partners=all"
  )
  answer("explain", ask("explain", list(data = data), given, how, words))
})

explain_code <- function(code) {
  in_folder(0, function(folder) {
    run <- run_program(c("explain", code, "--json"), folder, FALSE)
    known <- list(command = "explain")
    if (run$status != 0L) raise(run, known)
    fields <- jsonlite::fromJSON(paste(run$stdout, collapse = "\n"))
    answer("explain", list(
      fields = fields[setdiff(names(fields), c("json", "text"))],
      text = with_arguments(strsplit(fields$text, "\n", fixed = TRUE)[[1]])
    ))
  })
}

ms_risk <- takes_settings("risk", 1L, function(data = NULL, suda = NULL, key_sets = NULL,
                                               records = FALSE, project = NULL, threads = NULL,
                                               progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  words <- c(
    if (isTRUE(suda)) "--suda" else if (is.numeric(suda)) paste0("--suda=", one_text("suda", suda)),
    if (!is.null(key_sets)) paste0("--key-sets=", one_text("key_sets", key_sets))
  )
  answer("risk", ask(
    "risk", list(data = data), given_to("risk"), how, words, records_out(records), read_records,
    picture = FALSE
  ))
})

# The list of records of a question that can have one.
records_out <- function(records) {
  if (!isTRUE(records) && !isFALSE(records)) unusable("records", "it is on or off", "give TRUE or FALSE")
  if (records) c("--out" = "records.csv") else character()
}

read_records <- function(folder, encoded) {
  path <- file.path(folder, "records.csv")
  if (!file.exists(path)) return(NULL)
  columns <- read_texts(path)
  columns <- lapply(columns, utils::type.convert, as.is = TRUE, na.strings = "")
  as.data.frame(columns, optional = TRUE)
}

ms_plan <- takes_settings("plan", 1L, function(data = NULL, out = NULL, seed_file = NULL,
                                               demo_seed = NULL, seal_file = NULL, force = FALSE,
                                               project = NULL, threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  path <- if (is.null(out)) new_plan_path() else absolute(one_text("out", out))
  words <- c(paste0("--out=", path), job_words(seed_file, demo_seed, seal_file, force))
  found <- ask("plan", list(data = data), given_to("plan"), how, words)
  found$fields$path <- path
  answer("plan", found)
})

# How a job runs beside its settings.
job_words <- function(seed_file = NULL, demo_seed = NULL, seal_file = NULL, force = FALSE) {
  c(
    if (!is.null(seed_file)) paste0("--seed-file=", absolute(one_text("seed_file", seed_file))),
    if (!is.null(demo_seed)) paste0("--demo-seed=", one_text("demo_seed", demo_seed)),
    if (!is.null(seal_file)) paste0("--seal-file=", absolute(one_text("seal_file", seal_file))),
    if (force) "--force"
  )
}

# A plan that is kept nowhere else is in the session's folder, and goes with the session.
new_plan_path <- function() {
  # Each in a folder of its own: plans beside each other are warned of.
  folder <- file.path(session_folder(), basename(tempfile("plan-")))
  dir.create(folder, mode = "0700")
  file.path(folder, "swap.plan")
}

ms_protect <- takes_settings("protect", 1L, function(data = NULL, seed_file = NULL, demo_seed = NULL,
                                                     seal_file = NULL, force = FALSE, project = NULL,
                                                     threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  protect(data, given_to("protect"), how, seed_file, demo_seed, seal_file, force)
})

protect <- function(data, given, how, seed_file, demo_seed, seal_file, force, trs = NULL) {
  words <- job_words(seed_file, demo_seed, seal_file, force)
  if (!is.data.frame(data)) {
    found <- ask("protect", list(data = data), given, how, words, trs = trs)
    plan <- c(given$plan, plan_told(found$notes))[1]
    return(release(found, NULL, found$fields$released, plan, given, how, trs))
  }
  refuse_out(given)
  project <- as_project(how$project)
  # A project file says itself whether the plan is kept; a mechanism keeps none.
  draws <- !is.null(given$mechanism) || !is.null(project$settings$mechanism)
  if (!draws && is.null(given$plan) && is.null(project$settings$plan) && is.null(project$path)) {
    given$plan <- new_plan_path()
  }
  made <- release_of(data, "protect", list(data = data), given, how, words, trs)
  plan <- c(given$plan, project$settings$plan, plan_told(made$notes))[1]
  release(made, made$taken, NULL, plan, given, how, trs)
}

# Where the plan was put, as the program said.
plan_told <- function(notes) {
  said <- grep(" is the plan: SECRET", notes, value = TRUE, fixed = TRUE)
  sub("^note: (.*) is the plan: SECRET.*", "\\1", said)
}

# A table in memory is released as one, and holds its households.
refuse_out <- function(given) {
  if (!is.null(given$households_file)) {
    refuse(
      "a household file goes with a file of persons, and a table in memory is given",
      "join the two tables, or give both files", "E116", "argument `households_file`",
      "conflicting settings"
    )
  }
  if (!is.null(given$out) || !is.null(given$households_out)) {
    refuse(
      "a table in memory is released as a table in memory, and a file is named",
      "leave it out and write the released table yourself, or give a file as data",
      "E116", "argument `out`", "conflicting settings"
    )
  }
}

# Asks for a release of a table in memory, and makes it again from the released file.
release_of <- function(data, command, tables, given, how, words, trs = NULL) {
  rows <- NULL
  project <- as_project(how$project)
  if (command == "protect" && isTRUE(given$release_id) && is.null(project$path) && .row_names_info(data) > 0L) {
    # Row names are an id: they are released if ids are.
    rows <- free_name(names(data))
    data[[rows]] <- row.names(data)
    tables$data <- data
    if (is.null(given$id)) given$id <- rows else given$ignore <- c(given$ignore, rows)
  }
  same_lines <- identical(given$order, "input")
  found <- ask(command, tables, given, how, words, c("--out" = "released.csv"), function(folder, encoded) {
    path <- file.path(folder, "released.csv")
    if (file.exists(path)) decode_table(path, data, encoded$data, same_lines)
  }, picture = command == "protect", trs = trs)
  if (!is.null(rows) && !is.null(found$taken)) {
    row.names(found$taken) <- found$taken[[rows]]
    found$taken[[rows]] <- NULL
  }
  found
}

free_name <- function(names) {
  candidates <- c("row names", paste("row names", seq_along(names)))
  candidates[!candidates %in% names][1]
}

ms_apply <- takes_settings("apply", 2L, function(data = NULL, plan, seed_file = NULL, seal_file = NULL,
                                                 force = FALSE, project = NULL, threads = NULL,
                                                 progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  given <- given_to("apply")
  words <- c(plan_path(plan), job_words(seed_file, NULL, seal_file, force))
  if (!is.data.frame(data)) {
    if (is.null(data)) {
      refuse("no data are given", "give the data that the plan was made for", "E111", "argument `data`",
        "missing setting")
    }
    found <- ask("apply", list(data = data), given, how, words, picture = FALSE)
    path <- if (is.null(given$out)) NULL else absolute(given$out)
    return(release(found, NULL, path, plan, given, how))
  }
  refuse_out(given)
  found <- release_of(data, "apply", list(data = data), given, how, words)
  release(found, found$taken, NULL, plan, given, how)
})

ms_verify <- takes_settings("verify", 2L, function(before = NULL, after = NULL, shuffled = NULL,
                                                   three_way = FALSE, margins = NULL, reveal = NULL,
                                                   force = FALSE, project = NULL, threads = NULL,
                                                   progress = NULL) {
  how <- how(shown = shown_as(substitute(before)))
  if (!all(reveal %in% c("published", "new-pairs"))) {
    unusable("reveal", "there is no list of this name", "give \"published\", \"new-pairs\", or both")
  }
  asked <- about(after, given_to("verify"), "verify", how, shuffled)
  words <- c(
    if (asked$shuffled) "--shuffled", if (three_way) "--three-way",
    if (!is.null(margins)) paste0("--margins=", absolute(one_text("margins", margins))),
    if (!is.null(reveal)) paste0("--reveal=", texts_of("reveal", reveal)), if (force) "--force"
  )
  answer("verify", ask(
    "verify", list(data = before, after = asked$after), asked$given, asked$how, words, trs = asked$trs,
    beside = asked$plan
  ))
})

# What a release is compared with: its table or file, and the settings that it was made with.
about <- function(after, given, command, how, shuffled) {
  plan <- trs <- NULL
  if (inherits(after, "ms_release")) {
    told <- attr(after, "settings")
    known <- told$given[intersect(names(told$given), names(settings_of(command)))]
    # An id that is not released cannot link the tables, and plays no part.
    if (!isTRUE(told$given$release_id) && !is.null(known$id) && is.null(given$id)) {
      known$ignore <- c(known$ignore, known$id)
      known$id <- NULL
    }
    known$plan <- NULL
    # Its plan tells whether the seed was one that others know.
    plan <- after$plan$path
    trs <- told$trs
    given <- c(given, known[setdiff(names(known), names(given))])
    if (is.null(how$project)) how$project <- told$project
    if (is.null(shuffled)) shuffled <- !identical(told$given$order, "input") && is.null(told$project)
    after <- if (is.null(after$data)) after$path else after$data
  }
  list(after = after, given = given, how = how, shuffled = isTRUE(shuffled), plan = plan, trs = trs)
}

ms_report <- takes_settings("report", 2L, function(before = NULL, after = NULL, plan = NULL,
                                                   external = FALSE, out = NULL, shuffled = NULL,
                                                   reveal = FALSE, seed_file = NULL, demo_seed = NULL,
                                                   seal_file = NULL, force = FALSE, project = NULL,
                                                   threads = NULL, progress = NULL) {
  how <- how(shown = shown_as(substitute(before)))
  if (is.null(plan) && inherits(after, "ms_release") && !external) plan <- after$plan
  asked <- about(after, given_to("report", except = "plan"), "report", how, shuffled)
  words <- c(
    if (!is.null(plan)) paste0("--plan=", plan_path(plan)), if (external) "--external",
    if (asked$shuffled) "--shuffled", if (reveal) "--reveal",
    job_words(seed_file, demo_seed, seal_file, force),
    if (!is.null(out)) paste0("--out=", absolute(one_text("out", out)))
  )
  outputs <- if (is.null(out)) c("--out" = "report.html") else character()
  found <- ask(
    "report", list(data = before, after = asked$after), asked$given, asked$how, words, outputs,
    function(folder, encoded) {
      page <- if (is.null(out)) file.path(folder, "report.html") else absolute(out)
      if (file.exists(page)) paste(read_utf8(page), collapse = "\n")
    },
    picture = FALSE, trs = asked$trs, beside = asked$plan
  )
  found$fields$html <- found$taken
  if (!is.null(out)) found$fields$path <- absolute(out)
  answer("report", found)
})

ms_frontier <- takes_settings("frontier", 1L, function(data = NULL, budgets = NULL, seeds = NULL,
                                                       choose = NULL, seed_file = NULL,
                                                       demo_seed = NULL, seal_file = NULL,
                                                       force = FALSE, project = NULL, threads = NULL,
                                                       progress = NULL) {
  how <- how(shown = shown_as(substitute(data)))
  given <- given_to("frontier")
  if (is.null(given$plan) && is.null(as_project(how$project)$path)) given$plan <- new_plan_path()
  words <- c(
    if (!is.null(budgets)) paste0("--budgets=", paste(texts_of("budgets", budgets), collapse = ",")),
    if (!is.null(seeds)) paste0("--seeds=", one_text("seeds", seeds)),
    if (!is.null(choose)) paste0("--choose=", one_text("choose", choose)),
    job_words(seed_file, demo_seed, seal_file, force)
  )
  found <- ask("frontier", list(data = data), given, how, words)
  found$fields$plan <- plan_at(given$plan)
  answer("frontier", found)
})
