"""How long a job takes in Python, in the program, and in DuckDB: asked by hand, answers in bench-runs/.

    python scripts/bench-python.py memory 1000000      polars frame against the program, same data
    python scripts/bench-python.py duckdb 10000000     Parquet through DuckDB, beside its plain copy

Run it with the Python that the wheel is installed in. Both use the seed 1, and the answers are
compared before any time is printed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import duckdb

import marginswap

ASKED = {
    "keys": ["region", "sex", "age", "job", "children"],
    "keep": ["region*sex*age", "age*job", "job*house*car", "children*income"],
}
FLAGS = ["--keys", ",".join(ASKED["keys"]), "--keep", " + ".join(ASKED["keep"]), "--demo-seed", "1"]
LEVELS = {"region": 16, "sex": 2, "age": 90, "job": 12, "children": 6, "house": 5, "car": 3, "income": 10, "town": 4}


def write(path: str, records: int) -> None:
    """An invented survey of nine columns, skewed so that some people are alone with their keys."""
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


def memory(records: int, folder: str) -> None:
    import polars

    data, text, out = (os.path.join(folder, name) for name in ("data.parquet", "data.csv", "out.csv"))
    write(data, records)
    frame = polars.read_parquet(data)
    frame.write_csv(text)
    rounds = []
    for _ in range(3):
        command = ["marginswap", "protect", text, *FLAGS, "-o", out, "--force"]
        _, program = timed(lambda: subprocess.run(command, capture_output=True, check=False))
        release, python = timed(lambda: marginswap.protect(frame, demo_seed=1, **ASKED))
        rounds.append((program, python))
    there = polars.read_csv(out, infer_schema=False)
    assert release.equal and there.equals(release.data), "both doors give the same"
    for program, python in rounds:
        print(f"| {records:,} x 9 polars | program {program:.2f} s | python {python:.2f} s | {python / program:.2f} |")
    print(f"changed {release.records_changed:,}, at risk {release.at_risk:,}")


def through_duckdb(records: int, folder: str) -> None:
    data, copy, out = (os.path.join(folder, name) for name in ("data.parquet", "copy.parquet", "out.parquet"))
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{os.environ.get('DUCKDB_MEMORY', '4GB')}'")
    connection.execute(f"SET temp_directory = '{folder}/spill'")
    write(data, records)
    _, plain = timed(lambda: connection.sql(f"SELECT * FROM '{data}'").write_parquet(copy))
    steps: list[tuple[str, float]] = []

    def told(step: str, done: int, of: int) -> None:
        steps.append((step, time.perf_counter()))

    begin = time.perf_counter()
    release, made = timed(
        lambda: marginswap.protect(data, engine=connection, demo_seed=1, progress=told, **ASKED)
    )
    written, wrote = timed(lambda: release.write(out))
    assert written.equal
    print(f"| {records:,} x 9 Parquet | plain copy {plain:.1f} s | protect {made:.1f} s | write and recount {wrote:.1f} s |")
    for step, at in steps:
        print(f"  {at - begin:7.1f} s {step}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"cells {release.cells:,}, changed {release.records_changed:,}, peak {peak:,.0f} MB")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        {"memory": memory, "duckdb": through_duckdb}[sys.argv[1]](int(sys.argv[2]), folder)
