"""How does the cost of the whole job grow with the problem: variables, levels, tables, people at risk?

    python scripts/bench-growth.py PROGRAM [variables|levels|tables|risk]...

DuckDB makes invented surveys of 300,000 records, in which every variable leans towards its first levels and
follows its neighbour a little. One of four things grows while the others stay: 12 variables, 6 levels each, a
kept table for every two neighbours, 10,000 records listed as being at risk; all variables are keys.
`protect` runs on two threads, as a process of its own. Before any time counts, the answers are checked: every
kept table equal, everybody at risk accounted for. After the time of the whole job come the time of its first
phase, reading, and that of planning alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

RECORDS = 300_000


def make(folder, variables, levels):
    """A survey as a CSV file; the values of each variable follow from numbers that look random."""

    def value(number):
        draw = f"(hash(i * 256 + {number}) % 1000003) / 1000003.0"
        # One record in four has what its neighbour has.
        before = f"(hash(i * 256 + {max(number - 1, 0)}) % 1000003) / 1000003.0"
        same = f"hash(i * 256 + {number} + 128) % 4 = 0"
        share = f"CASE WHEN {same} THEN {before} ELSE {draw} END"
        return f"'l' || floor({levels} * ({share}) * ({share}))::INTEGER AS v{number}"

    columns = ", ".join(value(number) for number in range(variables))
    data = os.path.join(folder, f"survey-{variables}-{levels}.csv")
    if not os.path.exists(data):
        script = (
            "import duckdb; duckdb.sql('SET threads = 2; SET enable_progress_bar = false'); "
            f'duckdb.sql("""COPY (SELECT {columns} FROM range({RECORDS}) t(i)) TO \'{data}\' (HEADER)""")'
        )
        subprocess.run([sys.executable, "-c", script], check=True)
    return data


def listed(folder, many):
    """A list of this many records, evenly over the file."""
    path = os.path.join(folder, f"listed-{many}.txt")
    with open(path, "w") as file:
        file.writelines(f"{number * RECORDS // many + 1}\n" for number in range(many))
    return path


def tables(variables, apart):
    """A table for every two variables that are at most so far apart."""
    pairs = [(one, one + step) for step in range(1, apart + 1) for one in range(variables - step)]
    return [f"v{one}*v{other}" for one, other in pairs]


def measured(program, folder, variables=12, levels=6, apart=1, at_risk=10_000):
    data, kept = make(folder, variables, levels), tables(variables, apart)
    names = ",".join(f"v{number}" for number in range(variables))
    out = os.path.join(folder, "released.csv")
    job = [program, "protect", data, "--keys", names, "--keep", " + ".join(kept), "-o", out, "--force"]
    job += ["--risky", f"records:{listed(folder, at_risk)}", "--demo-seed", "1", "--threads", "2"]
    begin = time.perf_counter()
    child = subprocess.Popen([*job, "--timings", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = json.loads(child.stdout.read())
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    assert child.returncode in (0, 1) and said["equal"] is True, child.returncode
    assert said["at_risk"] == said["gone"] + said["shared"] + said["matched"]
    seconds = {}
    for phase in said["timings"]:
        seconds.setdefault(phase["phase"], phase["seconds"])
    print(
        f"| {variables} | {levels} | {len(kept)} | {said['at_risk']:,} | {said['gone']:,} | {wall:.2f} "
        f"| {used.ru_utime + used.ru_stime:.2f} | {seconds['planning']:.2f} | {wall / seconds['reading']:.0f} "
        f"| {used.ru_maxrss / 1024:.0f} |",
        flush=True,
    )


GROWTH = {
    "variables": [{"variables": variables} for variables in (6, 12, 24, 32, 64)],
    "levels": [{"levels": levels} for levels in (2, 6, 20, 100)],
    "tables": [{"apart": apart} for apart in (1, 2, 3, 5, 8)],
    "risk": [{"at_risk": at_risk} for at_risk in (1_000, 10_000, 50_000, 150_000, 300_000)],
}


def main():
    program, *asked = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        print("| variables | levels | tables | at risk | gone | s | cpu s | planning s | ÷ reading | MB |")
        print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for grows in asked or GROWTH:
            for settings in GROWTH[grows]:
                measured(os.path.abspath(program), folder, **settings)


main()
