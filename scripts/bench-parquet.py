"""What does the whole job cost on a wide Parquet file, compared with a plain copy of it?

    python scripts/bench-parquet.py PROGRAM RECORDS [random|input]... [--folder FOLDER]

DuckDB makes a file of 69 columns: 12 variables of a survey and 57 columns that no exchange touches
(integers, floating-point numbers, short texts and dates, of few and of many values). Some 5,000
records are listed as being at risk. Then, in turn and as processes of their own: DuckDB copies the file
on two threads, and `protect` runs for each order on two threads. Before any time counts, the answers are
checked: every kept table equal and, counted by DuckDB, every record the same in the columns that no
exchange touches. The files are made in a temporary folder and removed at the end; with a folder they are
made there, unless they are there already, and left.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

# Variables: name and number of levels.
VARIABLES = [
    ("region", 9), ("sex", 2), ("age", 18), ("marital", 5), ("education", 6), ("job", 12),
    ("sector", 10), ("tenure", 4), ("size", 7), ("origin", 8), ("health", 5), ("language", 4),
]  # fmt: skip
KEPT = "region*sex*age + age*marital + education*job + job*sector + region*tenure + size*tenure"
KEYS = ["region", "sex", "age", "marital", "job"]


def staying():
    """The columns that no exchange touches: name and expression."""
    few = [f"(random() * {levels})::INTEGER" for levels in (2, 5, 9, 12, 24, 52, 99, 120, 366, 999)]
    many = ["(random() * 1e6)::INTEGER"] * 5 + ["(random() * 1e12)::BIGINT"] * 5
    money = ["round(random() * 5000, 0)"] * 5 + ["random() * 1e5"] * 10
    texts = [f"'code ' || (random() * {levels})::INTEGER" for levels in (3, 8, 20, 60, 400)] * 2
    texts += ["'P' || lpad((random() * 20000)::INTEGER::VARCHAR, 5, '0')"] * 2
    texts += ["CASE WHEN random() < 0.4 THEN NULL ELSE 'answer ' || (random() * 9)::INTEGER END"] * 2
    texts += ["md5(random()::VARCHAR)[:10]"]
    dates = ["DATE '1940-01-01' + (random() * 29000)::INTEGER"] * 4
    dates += ["DATE '2026-01-01' + (random() * 300)::INTEGER"] * 3
    all_of_them = few + many + money + texts + dates
    assert len(all_of_them) == 57, len(all_of_them)
    return [(f"c{number:02}", text) for number, text in enumerate(all_of_them)]


def make(folder, records):
    data, listed = os.path.join(folder, "survey.parquet"), os.path.join(folder, "listed.txt")
    project = os.path.join(folder, "marginswap.toml")
    if os.path.exists(project):
        return data, project
    variables = [
        f"'{name[0]}' || floor({levels} * random() * sqrt(random()))::INTEGER AS {name}"
        for name, levels in VARIABLES
    ]
    others = [f"{text} AS {name}" for name, text in staying()]
    query = f"SELECT {', '.join(variables + others)} FROM range({records})"
    script = (
        "import duckdb; duckdb.sql('SET threads = 2; SET enable_progress_bar = false; SELECT setseed(0.5)'); "
        f'duckdb.sql("""COPY ({query}) TO \'{data}\' (FORMAT parquet)""")'
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    with open(listed, "w") as file:
        file.writelines(f"{number * (records // 5000) + 1}\n" for number in range(5000))
    quoted = lambda names: ", ".join(f'"{name}"' for name in names)  # noqa: E731
    with open(project, "w") as file:
        file.write(
            f'[columns]\nvars = [{quoted(name for name, _ in VARIABLES)}]\n'
            f"ignore = [{quoted(name for name, _ in staying())}]\n"
            f'[keep]\ntables = ["{KEPT}"]\n'
            f'[risk]\nkeys = [{quoted(KEYS)}]\nrisky = "records:{listed}"\n'
        )
    return data, project


def run(command):
    """Seconds on the clock, of processors and the peak of memory in bytes, and what was said."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told)
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        told.seek(0)
        assert child.returncode in (0, 1), (command, child.returncode, told.read().decode())
    return (wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024), said


def same_records(data, released):
    """Are the records the same in all columns that no exchange touches, in whatever order?"""
    names = ", ".join(name for name, _ in staying())
    script = (
        "import duckdb, sys; duckdb.sql('SET threads = 2; SET enable_progress_bar = false'); print(len(set(duckdb.sql(f\"SELECT "
        f"count(*), sum(hash({names})::HUGEINT) FROM '{{file}}'\").fetchall()[0] for file in sys.argv[1:])))"
    )
    both = [sys.executable, "-c", script, data, released]
    return subprocess.run(both, check=True, capture_output=True).stdout.strip() == b"1"


def main():
    program, records, *orders = sys.argv[1:]
    folder = None
    if "--folder" in orders:
        folder = orders.pop(orders.index("--folder") + 1)
        orders.remove("--folder")
    program, records = os.path.abspath(program), int(records)
    with contextlib.nullcontext(folder) if folder else tempfile.TemporaryDirectory() as folder:
        data, project = make(folder, records)
        size = os.path.getsize(data) / 1e6
        print(f"{records:,} records x 69 columns, {size:,.0f} MB\n", flush=True)
        print("| | s | cpu s | MB at most | s / copy | cpu s / copy |")
        print("|---|---:|---:|---:|---:|---:|")
        target = os.path.join(folder, "out.parquet")
        copy = (
            "import duckdb; duckdb.sql('SET threads = 2; SET enable_progress_bar = false'); "
            f"duckdb.sql(\"COPY (SELECT * FROM '{data}') TO '{target}' (FORMAT parquet)\")"
        )
        base, _ = run([sys.executable, "-c", copy])
        os.remove(target)
        row("DuckDB's copy", base, base)
        for order in orders or ["random", "input"]:
            job = [program, "protect", data, "--project", project, "--out", target, "--json"]
            job += ["--order", order, "--demo-seed", "1", "--threads", "2", "--timings", "--force"]
            found, said = run(job)
            answer = json.loads(said)
            assert answer["equal"] is True
            assert same_records(data, target), "what no exchange touches is what it was"
            row(f"ours, order {order}", found, base)
            print(json.dumps(answer["timings"]), file=sys.stderr, flush=True)
            os.remove(target)


def row(name, found, base):
    (wall, cpu, peak), (base_wall, base_cpu, _) = found, base
    print(
        f"| {name} | {wall:.1f} | {cpu:.1f} | {peak / 1e6:,.0f} "
        f"| {wall / base_wall:.2f} | {cpu / base_cpu:.2f} |",
        flush=True,
    )


main()
