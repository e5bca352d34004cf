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
import threading
import time
import warnings

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
            print(f"  killed executor {found[0]}")

    threading.Thread(target=work, daemon=True).start()


def main(records: int) -> None:
    global APP
    warnings.simplefilter("ignore")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("marginswap")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    APP = spark.sparkContext.applicationId
    data = table(records)
    here = marginswap.protect(data, release_id=True, **ASKED)
    expected = {row.pop("person"): row for row in here.data.to_pylist()}
    asked = _engines.Spark.arrow

    def killing(self, statement, **tables):
        kill_one_soon(0.2)
        return asked(self, statement, **tables)

    for kills in (False, True):
        _engines.Spark.arrow = killing if kills else asked
        begin = time.perf_counter()
        release = marginswap.protect(spark.createDataFrame(data), release_id=True, **ASKED)
        found = {row.pop("person"): row for row in release.table.toArrow().to_pylist()}
        assert release.equal and found == expected
        print(f"{records:,} records, kills: {kills}: the same release, {time.perf_counter() - begin:.1f} s")
    spark.stop()


APP = ""

if __name__ == "__main__":
    main(int(sys.argv[1]))
