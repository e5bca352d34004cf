"""Reads a CSV file as text with other programs, on one thread.

First prints the names of the readers that can be imported, then for each line that names
one: rows, columns, wall seconds, processor seconds. What was read is freed outside the
clock.
"""

import sys
import time

path = sys.argv[1]
readers = {}

try:
    import polars

    assert polars.thread_pool_size() == 1

    def read_with_polars():
        return polars.read_csv(path, infer_schema=False)

    readers[f"polars {polars.__version__}"] = (read_with_polars, lambda frame: frame.shape)
except ImportError:
    pass

try:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})

    def read_with_duckdb():
        connection.execute(
            "CREATE OR REPLACE TABLE data AS SELECT * FROM read_csv(?, all_varchar = true)", [path]
        )
        return connection.table("data")

    readers[f"DuckDB {duckdb.__version__}"] = (read_with_duckdb, lambda table: table.shape)
except ImportError:
    pass

print("\t".join(readers), flush=True)
for line in sys.stdin:
    read, shape = readers[line.strip()]
    wall, processor = time.perf_counter(), time.process_time()
    table = read()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    rows, columns = shape(table)
    del table
    print(rows, columns, wall, processor, sep="\t", flush=True)
