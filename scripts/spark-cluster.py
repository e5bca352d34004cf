"""Real Spark, two executor processes, one of them killed in every step: started by hand.

    python -m venv env && env/bin/pip install pyspark[connect] pyarrow marginswap-*.whl
    env/bin/python scripts/spark-cluster.py 100000

Needs Java 17. The released records must be those of a job in memory, whatever is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable

# Nobody elsewhere is listened to.
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

import pyarrow as pa
from pyspark.sql import SparkSession

import marginswap
from marginswap import _engines

ASKED = {"keys": ["region", "age", "job"], "keep": ["region*sex", "sex*age"], "demo_seed": 5, "id": "person"}


def table(records: int) -> pa.Table:
    def column(levels: int, factor: int) -> list[str]:
        return [f"v{(number * factor % 1000003) * levels // 1000003}" for number in range(records)]

    columns = {"region": column(40, 7919), "sex": column(2, 104729), "age": column(90, 15485863)}
    columns |= {"job": column(30, 32452843), "person": [f"p{number:09}" for number in range(records)]}
    return pa.table(columns)


def executors() -> list[int]:
    """The process ids of the executors that this process's driver started."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()]
    return [int(pid) for pid, command in lines if "CoarseGrainedExecutorBackend" in command and "--app-id " + APP in command]


def kill_one_soon(after: float) -> None:
    def work() -> None:
        time.sleep(after)
        found = executors()
        if found:
            os.kill(found[0], signal.SIGKILL)
            KILLED.append(found[0])

    threading.Thread(target=work, daemon=True).start()


def families(records: int) -> pa.Table:
    """The same people in households of one to four, with what these have in common."""
    people = table(records)
    homes, sizes = [], []
    while len(homes) < records:
        size = 1 + len(sizes) * 7 % 4
        homes += [f"h{len(sizes):09}"] * size
        sizes.append(size)
    homes = homes[:records]
    of_home = {}
    for home, region in zip(homes, people.column("region").to_pylist()):
        of_home.setdefault(home, region)
    regions = pa.array([of_home[home] for home in homes])
    people = people.set_column(people.column_names.index("region"), "region", regions)
    return people.append_column("home", pa.array(homes))


def by_person(made: pa.Table) -> dict:
    return {row.pop("person"): row for row in made.to_pylist()}


def jobs(spark: SparkSession, records: int, folder: str) -> list:
    """Each job: what it is, what is expected, and what it does on Spark, which gives the same."""
    data, homes = table(records), families(max(records // 10, 1000))
    given, given_homes = spark.createDataFrame(data), spark.createDataFrame(homes)
    of_homes = {**ASKED, "household": "home", "keep": ["region*sex"], "keep_households": ["region*size"]}
    here = marginswap.protect(data, release_id=True, **ASKED)
    expected = by_person(here.data)
    question = {name: value for name, value in ASKED.items() if name != "demo_seed"}

    def released(release: object) -> dict:
        assert release.equal
        return by_person(release.table.toArrow())

    def applied() -> dict:
        plan = marginswap.plan(given, **ASKED)
        return released(marginswap.apply(given, plan, release_id=True))

    def written(writer: object) -> dict:
        release = marginswap.protect(given, release_id=True, **ASKED)
        KILLS["write"] += 1
        path = os.path.join(folder, f"released-{KILLS['write']}")
        assert release.write(path, writer=writer).equal
        format = "parquet" if writer is None else "orc"
        return by_person(spark.read.format(format).load(path).toArrow())

    def orc(made: object, path: str) -> object:
        made.write.format("orc").save(path)
        return spark.read.format("orc").load(path)

    model = {**question, "population": 10 * records}
    kept = {name: value for name, value in question.items() if name != "keys"}
    return [
        ("protect", expected, lambda: released(marginswap.protect(given, release_id=True, **ASKED))),
        ("plan, apply", expected, applied),
        ("protect, write Parquet", expected, lambda: written(None)),
        ("protect, write ORC by a writer", expected, lambda: written(orc)),
        (
            "protect households",
            by_person(marginswap.protect(homes, release_id=True, **of_homes).data),
            lambda: released(marginswap.protect(given_homes, release_id=True, **of_homes)),
        ),
        (
            "screen",
            marginswap.screen(data, **kept).to_dict(),
            lambda: marginswap.screen(given, **kept).to_dict(),
        ),
        (
            "risk",
            marginswap.risk(data, **model).to_dict(),
            lambda: marginswap.risk(given, **model).to_dict(),
        ),
        (
            "verify",
            marginswap.verify(data, here.data, shuffled=True, **question).to_dict()["margins"],
            lambda: marginswap.verify(
                given, spark.createDataFrame(here.data), **question
            ).to_dict()["margins"],
        ),
    ]


def main(records: int) -> None:
    global APP
    warnings.simplefilter("ignore")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("marginswap")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    APP = spark.sparkContext.applicationId
    asked, write = _engines.Spark.arrow, _engines.Spark.write

    def killing(step: Callable) -> Callable:
        def killed(self, *given, **tables):
            kill_one_soon(0.2)
            return step(self, *given, **tables)

        return killed

    with tempfile.TemporaryDirectory() as folder:
        for name, expected, job in jobs(spark, records, folder):
            took = []
            for kills in (False, True):
                _engines.Spark.arrow = killing(asked) if kills else asked
                _engines.Spark.write = killing(write) if kills else write
                KILLED.clear()
                begin = time.perf_counter()
                assert job() == expected, name
                took.append(time.perf_counter() - begin)
            print(
                f"{name}: the same as in memory; {took[0]:.1f} s, with {len(KILLED)} executors killed "
                f"{took[1]:.1f} s",
                flush=True,
            )
    spark.stop()


APP = ""
KILLED: list[int] = []
KILLS = {"write": 0}

if __name__ == "__main__":
    main(int(sys.argv[1]))
