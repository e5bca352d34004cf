# Writes the help pages of the functions that take settings: usage and arguments come from the
# functions and the table of settings, the rest from the texts below.
#
#   Rscript tools/make-help.R          in the folder of the package, writes man/
#   Rscript tools/make-help.R FOLDER   writes there, so that a test can compare

target <- c(commandArgs(TRUE), "man")[1]
package <- new.env(parent = globalenv())
order <- scan(text = read.dcf("DESCRIPTION", "Collate"), what = "", quiet = TRUE)
for (file in order) sys.source(file.path("R", file), package)
settings <- package$settings_table
names(settings) <- vapply(settings, package$argument_of, "")

# What arguments take that are no settings.
own <- c(
  data = "a data.frame, tibble or data.table, or the path of a CSV or Parquet file. Left out, the file that the project names.",
  before = "the original: a table, or the path of a file.",
  after = "the released table, the path of a released file, or an answer of \\code{\\link{ms_protect}} or \\code{\\link{ms_apply}}, which brings its settings along.",
  plan = "a plan: of \\code{\\link{ms_plan}}, of a release (\\code{$plan}), or the path of a plan file. SECRET.",
  project = "settings that several calls share, of \\code{\\link{ms_project}}, or the path of a project file. Arguments are laid over it. A project file is used only when it is named.",
  threads = "number of threads; the answer is the same for any number.",
  progress = "show each step in the console? By default when R is interactive. Needs the package \\pkg{processx}.",
  reveal = "list what points to people or holds values; see Details.",
  seed_file = "seed file, to repeat a run; written (SECRET) if it does not exist. Without one the seed comes from the operating system and is forgotten.",
  demo_seed = "a number as seed, for trying things: what it makes is marked as not for release.",
  seal_file = "file of the key that seals the plan; written (SECRET) if it does not exist.",
  force = "replace files that exist?",
  records = "answer for every record as well? Then \\code{as.data.frame()} has a row for each, in the order of the data. SECRET.",
  what_if = "tables not yet published, as for \\code{keep}: what publishing them too would disclose.",
  by = "column whose values, such as areas, the disclosed records are counted by.",
  record = "number of a record, or with \\code{id} its value in that column; without \\code{id} a row name works too.",
  pair = "two records.",
  partners = "\\code{\"all\"} lists the record numbers of all partners.",
  suda = "find minimal sets of at most this many keys on which a record is unique; \\code{TRUE} for any size.",
  key_sets = "count uniques on every set of at most this many keys (2).",
  out = "file to write the page to; without it the page is in \\code{$html} only.",
  external = "write the page that may be published with the file, without seed, plan, record numbers and exact rate?",
  shuffled = "do not pair the tables line by line? By default so for a release in random order.",
  three_way = "compare three-way tables as well?",
  margins = "folder to write the kept tables of the original to, with weighted counts, to calibrate to.",
  budgets = "budgets to compare, as \\code{c(\"1\\%\", \"5\\%\", \"none\")}.",
  seeds = "number of seeds to try for each budget (3).",
  choose = "\\code{\"least-risk\"}, or the best within a limit: \\code{\"change:0.5\\%\"} or \\code{\"risk:1\\%\"}.",
  path = "a project file, such as \\code{\"marginswap.toml\"}; without one the settings are the arguments alone."
)
own_here <- list(
  plan = c(out = "plan file to write; without it the plan is kept until the session ends, for \\code{\\link{ms_apply}} and \\code{\\link{ms_save_plan}}.")
)

tables <- "Tables are written as for \\code{loglin}: \\code{~ region*sex*age + age*marital} keeps two, \\code{~ (a + b + c)^2} all two-way tables of three columns. Text (\\code{\"region*sex\"}), several in a list, and a named list, whose names the answer shows, work too."
pages <- list(
  inspect = list("What is in a table", "Counts records, levels, empty fields and sample uniques, and finds columns that look like an id. \\code{reveal} lists the levels of every column.",
    "Fields are those of \\code{marginswap inspect --json}; \\code{as.data.frame()} has a row for each column.",
    "ms_inspect(town)"),
  graph = list("What the kept tables tie together", paste("The graph on the variables that the kept tables make, and its separators. Needs no data.", tables),
    "\\code{as.data.frame()} has the edges, \\code{plot()} draws the graph.",
    "found <- ms_graph(keep = ~ region*sex*age + age*marital)\nfound\nfound$decomposable"),
  screen = list("Which records can be swapped", "Decides for every record whether it can be swapped and whether the kept tables already disclose it; with \\code{keys}, who at risk can be hidden.",
    "With \\code{records = TRUE}, \\code{as.data.frame()} has a row for each record.",
    "found <- ms_screen(town, keep = ~ region*sex*age + age*marital, keys = c(\"region\", \"sex\", \"age\"))\nfound\nsummary(found)"),
  explain = list("Why, or why not", "Shows the partners of a record, or why it has none and which table would have to go; what two records can exchange, or the chain of tables that prevents it; what an error code means.",
    "\\code{print()} gives the explanation, \\code{plot()} draws it.",
    "ms_explain(town, record = 263, keep = ~ region*sex*age*marital + sex*age*marital*education)\nms_explain(\"E203\")"),
  risk = list("Who is at risk, by a model of the population", "Estimates for every sample unique the probability that it is unique in the population, with a model whose fit is judged.",
    "With \\code{records = TRUE}, \\code{as.data.frame()} has a row for each record.",
    "ms_risk(town, keys = c(\"region\", \"sex\", \"age\", \"occupation\"), population = 20000)"),
  plan = list("Decide the swaps", "Decides the swaps and changes no data. The plan is SECRET: anyone who has it can undo the protection. Without \\code{out} it is kept in a folder of the session that nobody else can read, so that a saved workspace does not hold it.",
    "A plan for \\code{\\link{ms_apply}}. Its fields are the numbers of \\code{marginswap plan --json}; \\code{$path} is the file.",
    "plan <- ms_plan(town, keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"), demo_seed = 1)\nplan\nms_apply(town, plan)"),
  protect = list("Protect a table: the whole job", paste(
    "Finds the people at risk, swaps values, makes the released table, reads it again and compares it with the original: all kept tables are equal, or there is an error and no table.", tables,
    "\n\nA table in memory is released as one, with its classes, types, factor levels and their order, labels, tagged missing values and attributes. \\code{NA}, \\code{\"\"} and \\code{\"NA\"} are three things. Records are in random order, because neighbouring records give swaps away; \\code{order = \"input\"} keeps the order. Row names name records: they are released with \\code{release_id = TRUE}, or where the order is kept. A file is released as a file (\\code{out}).",
    "\n\nLists, matrices and complex numbers are refused with the name of the column. Numbers are categories: the missing ones are a class of their own, also in \\code{derive}."),
    "An object of class \\code{ms_release}: \\code{$data} is the released table (\\code{as.data.frame()} too), \\code{$verdict} is \\code{\"release\"}, \\code{\"review\"} or \\code{\"do_not_release\"} with \\code{$reasons}, \\code{$plan} the plan (SECRET), and the other fields those of \\code{marginswap protect --json}. \\code{plot()} draws who is protected.",
    "release <- ms_protect(town,\n  keep = ~ region*sex*age + age*marital,\n  keys = c(\"region\", \"sex\", \"age\", \"occupation\"),\n  demo_seed = 1\n)\nrelease\nhead(release$data)"),
  apply = list("Make the swaps of a plan", "Makes the swaps of a plan, for the data it was made for, and recounts every kept table. It decides nothing.",
    "As \\code{\\link{ms_protect}}.",
    "plan <- ms_plan(town, keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"), demo_seed = 1)\nrelease <- ms_apply(town, plan)\nrelease$equal"),
  verify = list("Compare a released table with the original", "Recounts everything from the two tables and trusts nothing: kept tables, information loss, what an intruder learns, and the verdict. \\code{reveal} is \\code{\"published\"} or \\code{\"new-pairs\"}: list them with their values (SECRET).",
    "\\code{as.data.frame()} has a row for each two-way table, \\code{plot()} draws them as a triangle.",
    "release <- ms_protect(town, keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"), demo_seed = 1)\nfound <- ms_verify(town, release)\nfound$equal\nhead(as.data.frame(found))"),
  report = list("A release on one page", "Writes one HTML page on a release: internal, for those who decide, or external, for publication. It needs no network and runs no script. \\code{reveal} lists people at risk who are still matched, by record number.",
    "\\code{$html} is the page; \\code{plot()} shows it.",
    "release <- ms_protect(town, keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"), demo_seed = 1)\npage <- ms_report(town, release)\nsubstr(page$html, 1, 15)"),
  frontier = list("Several plans, risk against change", "Compares plans for several budgets and seeds by risk and information loss, and chooses one.",
    "\\code{as.data.frame()} has a row for each plan; \\code{$plan} is the chosen one (SECRET).",
    "found <- ms_frontier(town,\n  keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"),\n  budgets = c(\"2\\%\", \"none\"), seeds = 2, demo_seed = 1\n)\nfound"),
  project = list("Settings that several calls share", paste("A project file, settings given as arguments, or a file with arguments laid over it.", tables),
    "An object for the argument \\code{project} of all other functions.",
    "town_project <- ms_project(keep = ~ region*sex, keys = c(\"region\", \"age\", \"occupation\"))\ntown_project\nms_screen(town, project = town_project)")
)

escaped <- function(text) gsub("([%{}\\\\])", "\\\\\\1", text)
# `x` is code in the table of settings.
marked <- function(text) gsub("`([^`]*)`", "\\\\code{\\1}", escaped(text))

usage <- function(name, fun) {
  shown <- function(argument, default) {
    if (identical(default, quote(expr = ))) return(argument)
    paste0(argument, " = ", gsub("%", "\\\\%", paste(deparse(default), collapse = "")))
  }
  arguments <- mapply(shown, names(formals(fun)), formals(fun))
  paste0(name, "(\n  ", paste(arguments, collapse = ",\n  "), "\n)")
}

item <- function(command, argument) {
  here <- own_here[[command]]
  text <- if (argument %in% names(here)) {
    here[[argument]]
  } else if (argument %in% names(settings) && !(argument %in% c("plan", "out") && command %in% c("apply", "report", "plan"))) {
    row <- settings[[argument]]
    section <- if (nzchar(row$section)) paste0("[", row$section, "] ") else ""
    paste0(marked(row$help), ". Default: ", marked(row$default), ". In a project file: \\code{", section, row$name, "}.")
  } else {
    own[[argument]]
  }
  paste0("  \\item{", argument, "}{", text, "}")
}

for (command in names(pages)) {
  page <- pages[[command]]
  name <- paste0("ms_", command)
  fun <- package[[name]]
  example <- c(
    "\\dontshow{if (!marginswap::ms_available()) message(\"the program marginswap is not here: not run\") else withAutoprint(\\{}",
    page[[4]], "\\dontshow{\\})}"
  )
  lines <- c(
    "% Written by tools/make-help.R; a change here is lost.",
    paste0("\\name{", name, "}"), paste0("\\alias{", name, "}"),
    paste0("\\title{", page[[1]], "}"),
    paste0("\\description{", page[[2]], "}"),
    "\\usage{", usage(name, fun), "}",
    "\\arguments{", vapply(names(formals(fun)), function(argument) item(command, argument), ""), "}",
    paste0("\\value{", page[[3]], "}"),
    "\\details{Arguments that are not given keep their default, or what the project says. A column is named by its name, several by \\code{c()}; lists of lists by \\code{list()}; an amount is a number of records (\\code{120}) or a share (\\code{\"5\\%\"}, \\code{0.05}). Errors are conditions of class \\code{marginswap_error} and of their code, such as \\code{marginswap_E101}, with \\code{code}, \\code{place}, \\code{detail} and \\code{remedy}; no message holds a value of the data.}",
    "\\seealso{\\code{\\link{marginswap-package}}}",
    "\\examples{", example, "}"
  )
  connection <- file(file.path(target, paste0(name, ".Rd")), "wb")
  writeLines(enc2utf8(lines), connection, useBytes = TRUE)
  close(connection)
}
