"""What does a household run cost, by the size of the survey, compared with a run of single records?

    python scripts/bench-households.py PROGRAM 100000 1000000 4000000

For each number of persons an invented survey is written: households of one to six in four levels of
area (lau in nuts3 in nuts2 in nuts1, exchanged together). Kept are two tables of persons (nuts2*sex,
nuts3*age10) and one of households (nuts3*size); keys are lau, age in tens, sex and job, `k:3`;
partners as near as possible. Then the same for single records, without the table of households. Before
anything is printed, the answers are checked: every kept table equal, no household torn. Needs numpy.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = [0.38, 0.34, 0.12, 0.1, 0.04, 0.02]


def write(path, persons):
    random = np.random.default_rng(7)
    size = random.choice(np.arange(1, 7), p=SIZES, size=persons)
    homes = int(np.searchsorted(np.cumsum(size), persons)) + 1
    size = size[:homes]
    of = np.repeat(np.arange(homes), size)[:persons]
    lau = np.minimum(random.integers(0, 1000, homes), random.integers(0, 1000, homes))
    tenure = random.integers(0, 4, homes)
    age = np.minimum(random.integers(0, 95, persons), random.integers(0, 110, persons))
    sex, job = random.integers(0, 2, persons), random.integers(0, 12, persons) * random.integers(0, 2, persons)
    with open(path, "w") as out:
        out.write("hid,nuts1,nuts2,nuts3,lau,tenure,age,sex,job\n")
        for begin in range(0, persons, 100_000):
            part = slice(begin, min(begin + 100_000, persons))
            rows = zip(of[part], lau[of[part]], tenure[of[part]], age[part], sex[part], job[part])
            out.writelines(
                f"h{home},A{area // 200},B{area // 50},C{area // 10},L{area},t{held},{years},s{one},j{work}\n"
                for home, area, held, years, one, work in rows
            )
    return homes


# Runs a program and tells on stderr, in a last line, what it used: processors and memory.
USED = """
import json, os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def main():
    program, sizes = os.path.abspath(sys.argv[1]), [int(size) for size in sys.argv[2:]]
    print("| persons | households | unit | at risk | gone | changed | s | cpu s | cpu µs a person | MB |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for persons in sizes:
            data, out = os.path.join(folder, "survey.csv"), os.path.join(folder, "out.csv")
            homes = write(data, persons)
            common = [
                "--keep", "nuts2*sex + nuts3*age10", "--derive", "age10 = band(age, 10)", "--risky", "k:3",
                "--keys", "lau,age10,sex,job", "--near", "nuts3,nuts2,nuts1", "--linked", "nuts1,nuts2,nuts3,lau",
                "--demo-seed", "1", "--force", "--json", "-o", out,
            ]
            for unit in ("household", "record"):
                more = ["--household", "hid", "--keep-households", "nuts3*size"] if unit == "household" else ["--ignore", "hid"]
                command = [sys.executable, "-c", USED, program, "protect", data, *common, *more]
                begin = time.perf_counter()
                done = subprocess.run(command, capture_output=True, text=True)
                wall = time.perf_counter() - begin
                assert done.returncode in (0, 1), done.stderr
                cpu, peak = json.loads(done.stderr.strip().splitlines()[-1])
                said = json.loads(done.stdout)
                assert said["equal"] is True
                assert unit == "record" or said["households"]["torn"] == 0
                print(
                    f"| {persons:,} | {homes:,} | {unit} | {said['at_risk']:,} | {said['gone']:,} "
                    f"| {said['records_changed']:,} | {wall:.1f} | {cpu:.1f} | {cpu * 1e6 / persons:.1f} | {peak / 1024:.0f} |",
                    flush=True,
                )


main()
