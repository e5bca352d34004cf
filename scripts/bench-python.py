"""How long a job takes in Python, in the program and in engines: asked by hand, answers in bench-runs/.

    python scripts/bench-python.py memory 1000000      polars frame against the program, same data
    python scripts/bench-python.py cells 1000000       memory of the planner for each cell and record
    python scripts/bench-python.py duckdb 10000000     Parquet through DuckDB, and its plain copy
    python scripts/bench-python.py duckdb 100000000 k:20    the same, with more people at risk
    python scripts/bench-python.py spark 10000000      the same files on Spark, two executor processes

Run it with the Python that the wheel is installed in. All use the seed 1, and the answers are
compared before any time is printed. DUCKDB_MEMORY limits DuckDB (4GB), BENCH_FOLDER is where files
are written.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import marginswap

ASKED = {
    "keys": ["region", "sex", "age", "job", "children"],
    "keep": ["region*sex*age", "age*job", "job*house*car", "children*income"],
}
FLAGS = ["--keys", ",".join(ASKED["keys"]), "--keep", " + ".join(ASKED["keep"]), "--demo-seed", "1"]
LEVELS = {"region": 16, "sex": 2, "age": 90, "job": 12, "children": 6, "house": 5, "car": 3, "income": 10, "town": 4}


def write(path: str, records: int) -> None:
    """An invented survey of nine columns, skewed so that some people are alone with their keys."""
    import duckdb

    columns = ", ".join(
        f"'{name[0]}' || CAST(floor({levels} * pow((hash(i * 31 + {place}) % 1000003) / 1000003.0, 2)) AS INTEGER)"
        f" AS {name}"
        for place, (name, levels) in enumerate(LEVELS.items())
    )
    duckdb.sql(f"SELECT {columns} FROM range({records}) t(i)").write_parquet(path)


def timed(work):
    begin = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - begin


def worked() -> float:
    """Seconds that processors worked for this process and its children: on a busy machine the
    better measure."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak() -> float:
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Steps:
    """When each step of a job began, and the most memory that this process had in it."""

    def __init__(self) -> None:
        self.steps: list[list] = []
        self("before", 0, 0)
        threading.Thread(target=self.watch, daemon=True).start()

    def __call__(self, step: str, done: int, of: int) -> None:
        self.steps.append([step, time.perf_counter(), worked(), resident()])

    def watch(self) -> None:
        while True:
            latest = self.steps[-1]
            latest[3] = max(latest[3], resident())
            time.sleep(0.02)

    def show(self) -> None:
        self("end", 0, 0)
        for (step, at, used, most), (_, until, by_then, _) in zip(self.steps, self.steps[1:]):
            print(f"| {step} | {until - at:.1f} | {by_then - used:.1f} | {most:,.0f} |")


def resident() -> float:
    """The memory of this process now, in MB."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 2**20


def memory(records: int, folder: str) -> None:
    import polars

    data, text, out = (os.path.join(folder, name) for name in ("data.parquet", "data.csv", "out.csv"))
    write(data, records)
    frame = polars.read_parquet(data)
    frame.write_csv(text)
    rounds = []
    for _ in range(3):
        command = ["marginswap", "protect", text, *FLAGS, "-o", out, "--force"]
        begin = worked()
        _, program = timed(lambda: subprocess.run(command, capture_output=True, check=False))
        between = worked()
        release, python = timed(lambda: marginswap.protect(frame, demo_seed=1, **ASKED))
        rounds.append((program, python, between - begin, worked() - between))
    there = polars.read_csv(out, infer_schema=False)
    assert release.equal and there.equals(release.data), "both doors give the same"
    for program, python, one, other in rounds:
        print(
            f"| {records:,} x 9 polars | program {program:.2f} s | python {python:.2f} s | {python / program:.2f} "
            f"| processor: {one:.2f} s, {other:.2f} s, {other / one:.2f} |"
        )
    print(f"changed {release.records_changed:,}, at risk {release.at_risk:,}")


def cells(records: int, folder: str) -> None:
    """Each question in a process of its own: the most memory of one must not hide another's."""
    import duckdb

    data, grouped = (os.path.join(folder, name) for name in ("data.parquet", "cells.parquet"))
    write(data, records)
    duckdb.sql(f"SELECT *, COUNT(*) AS n FROM '{data}' GROUP BY ALL").write_parquet(grouped)
    for how, file in (("records", data), ("counted", grouped)):
        command = [sys.executable, __file__, how, file]
        print(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


def planner(how: str, data: str) -> None:
    import pyarrow.parquet as parquet

    from marginswap import _functions, _in_engine

    table = parquet.read_table(data)
    before, rows = resident(), table.num_rows
    if how == "counted":
        call = _functions.Call(None, None, None, None, dict(ASKED))
        terms = _functions.terms(seed_file=None, demo_seed=1, seal_file=None, force=False)
        cells = _in_engine.Cells(table.to_reader(), "cells")
        _in_engine.native.plan_cells(call, cells.frame, 0, terms)
    else:
        marginswap.plan(table, demo_seed=1, **ASKED)
    word = "cell" if how == "counted" else "record"
    print(f"| plan from {rows:,} {word}s | {(peak() - before) * 2**20 / rows:,.0f} bytes for each {word} |")


def through_duckdb(records: int, folder: str, risky: str = "unique") -> None:
    import duckdb

    data, copy, out = (os.path.join(folder, name) for name in ("data.parquet", "copy.parquet", "out.parquet"))
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{os.environ.get('DUCKDB_MEMORY', '4GB')}'")
    connection.execute(f"SET temp_directory = '{folder}/spill'")
    write(data, records)
    _, plain = timed(lambda: connection.sql(f"SELECT * FROM '{data}'").write_parquet(copy))
    os.remove(copy)
    steps = Steps()
    release, made = timed(
        lambda: marginswap.protect(data, engine=connection, demo_seed=1, progress=steps, risky=risky, **ASKED)
    )
    steps("write", 0, 0)
    written, wrote = timed(lambda: release.write(out))
    assert written.equal
    steps.show()
    print(f"| {records:,} x 9 Parquet, DuckDB | plain copy {plain:.1f} s | protect {made:.1f} s | write and recount {wrote:.1f} s |")
    print(
        f"cells {release.cells:,}, at risk {release.at_risk:,}, gone {release.gone:,}, "
        f"changed {release.records_changed:,}, peak {peak():,.0f} MB"
    )


def through_spark(records: int, folder: str) -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    data, out = (os.path.join(folder, name) for name in ("data.parquet", "out"))
    write(data, records)
    builder = SparkSession.builder.master("local-cluster[2,1,2048]").appName("marginswap")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "3g")
    spark = builder.config("spark.executor.memory", "2g").config("spark.sql.shuffle.partitions", "16").getOrCreate()
    frame = spark.read.parquet(data).withColumn("person", F.monotonically_increasing_id())
    _, plain = timed(lambda: frame.write.parquet(out + "-copy"))
    kept = spark.read.parquet(out + "-copy")
    steps = Steps()
    release, made = timed(lambda: marginswap.protect(kept, id="person", demo_seed=1, progress=steps, **ASKED))
    steps.show()
    written, wrote = timed(lambda: release.write(out))
    assert written.equal
    print(f"| {records:,} x 9 Parquet, Spark | plain copy {plain:.1f} s | protect {made:.1f} s | write and recount {wrote:.1f} s |")
    print(f"cells {release.cells:,}, changed {release.records_changed:,}")
    spark.stop()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] in ("records", "counted"):
        planner(sys.argv[1], sys.argv[2])
    else:
        with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
            kinds = {"memory": memory, "cells": cells, "duckdb": through_duckdb, "spark": through_spark}
            kinds[sys.argv[1]](int(sys.argv[2]), folder, *sys.argv[3:])
