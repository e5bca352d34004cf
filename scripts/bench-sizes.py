"""What does the whole job cost, by the size of the file, compared with a plain copy of it?

    python scripts/bench-sizes.py PROGRAM 10000 100000 1000000

For each size the demo survey is made in a temporary folder. Then, in turn and as processes of
their own: `protect` on one and on two threads, polars and DuckDB reading the file as text and
writing it again on two, and `cat` with `sync`. Before any time counts, the answers are checked:
every kept table equal, everybody at risk accounted for, the same bytes for both numbers of
threads. Times are minima of several rounds: of the clock, and of all processors together. Peers
that this Python does not have are left out.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

POLARS = "import sys, polars as pl; pl.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])"
DUCKDB = (
    "import sys, duckdb; duckdb.sql('SET threads = 2'); duckdb.sql(f\"COPY (SELECT * FROM "
    "read_csv('{sys.argv[1]}', all_varchar = true)) TO '{sys.argv[2]}' (HEADER)\")"
)


def run(command, env=None):
    """Seconds on the clock, of processors, and the peak of memory in bytes."""
    begin = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}
    )
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, child.returncode, said


def least(results):
    return min(one[0] for one in results), min(one[1] for one in results), min(one[2] for one in results)


def peers():
    found = {}
    for name, script in [("polars", POLARS), ("duckdb", DUCKDB)]:
        if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0:
            found[name] = [sys.executable, "-c", script]
    return found


def measured(program, records, rounds, folder):
    town = os.path.join(folder, str(records))
    subprocess.run([program, "demo", town, "--records", str(records), "--json"], capture_output=True)
    data, out, copy = (os.path.join(town, name) for name in ("survey.csv", "released.csv", "copy"))
    project = os.path.join(town, "marginswap.toml")
    job = [program, "protect", "--project", project, "--force", "--json", "--demo-seed", "1"]
    commands = {f"ours {threads}": [*job, "--threads", str(threads)] for threads in (1, 2)}
    commands |= {name: [*command, data, copy] for name, command in peers().items()}
    commands["cat + sync"] = ["sh", "-c", 'cat "$0" > "$1"; sync "$1"', data, copy]
    results = {name: [] for name in commands}
    bytes_of = set()
    for _ in range(rounds):
        for name, command in commands.items():
            result = run(command, {"POLARS_MAX_THREADS": "2"})
            assert result[3] in (0, 1), (name, result[3])
            results[name].append(result)
            if name.startswith("ours"):
                said = json.loads(result[4])
                assert said["equal"] is True
                # Piece by piece: what this process holds counts for every child it starts.
                with open(out, "rb") as released:
                    bytes_of.add(hashlib.file_digest(released, "sha256").hexdigest())
    assert len(bytes_of) == 1, "the same bytes for every number of threads"
    size = os.path.getsize(data)
    subprocess.run(["rm", "-r", town], check=True)
    return size, {name: least(result) for name, result in results.items()}


def main():
    program, sizes = os.path.abspath(sys.argv[1]), [int(size) for size in sys.argv[2:]]
    print("| records | MB | | s | cpu s | µs a record | cpu µs a record | B a record | ÷ cat + sync |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for records in sizes:
            rounds = 3 if records <= 1_000_000 else 1
            size, results = measured(program, records, rounds, folder)
            copy = results["cat + sync"][0]
            for name, (wall, cpu, peak) in results.items():
                print(
                    f"| {records:,} | {size / 1e6:.1f} | {name} | {wall:.3f} | {cpu:.3f} "
                    f"| {wall * 1e6 / records:.2f} | {cpu * 1e6 / records:.2f} "
                    f"| {peak / records:.0f} | {wall / copy:.1f} |",
                    flush=True,
                )


main()
