"""Spark data frames through Spark Connect, on Sail, which speaks it without Java."""

import pytest

import marginswap
from conftest import ASKED, counted, in_order, is_spread, survey

pa = pytest.importorskip("pyarrow")
sail = pytest.importorskip("pysail.spark", reason="pysail is not installed")
sql = pytest.importorskip("pyspark.sql", reason="pyspark-client is not installed")

ENGINE = {**ASKED, "id": "person", "ignore": ["income"], "demo_seed": 11}


@pytest.fixture(scope="module")
def spark():
    server = sail.SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    host, port = server.listening_address
    session = sql.SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def people(records=600):
    columns = survey(records)
    columns["income"] = [number * 1.5 for number in range(records)]
    columns["person"] = [f"p{number:06}" for number in range(records)]
    return pa.table(columns)


def by_person(table):
    return {row.pop("person"): row for row in table.to_pylist()}


def test_law_spark_releases_what_memory_releases(spark, tmp_path):
    table = people()
    here = marginswap.protect(table, release_id=True, **ENGINE)
    release = marginswap.protect(spark.createDataFrame(table), release_id=True, **ENGINE)
    assert by_person(release.table.toArrow()) == by_person(here.data)
    assert release.equal and release.records_changed == here.records_changed > 0
    staged = marginswap.protect(
        spark.createDataFrame(table), release_id=True, staging=tmp_path, **ENGINE
    )
    assert by_person(staged.table.toArrow()) == by_person(here.data)
    files = list(tmp_path.iterdir())
    assert files and all(file.stat().st_mode & 0o077 == 0 for file in files)


def test_spark_gives_the_verdict_of_memory(spark):
    table = people()
    here = marginswap.protect(table, **ENGINE)
    release = marginswap.protect(spark.createDataFrame(table), **ENGINE)
    assert release.verdict == here.verdict and release.protected == here.protected
    left = [view.name for view in spark.catalog.listTables() if "ms_moves" in view.name]
    assert left == [], "the moves are forgotten"


def test_what_spark_writes_is_recounted(spark, tmp_path):
    table = people()
    release = marginswap.protect(spark.createDataFrame(table), **ENGINE)
    assert release.write(tmp_path / "released").equal
    back = spark.read.parquet(str(tmp_path / "released")).toArrow().to_pydict()
    for margin in (["region", "sex"], ["sex", "age"]):
        assert counted(table.to_pydict(), margin) == counted(back, margin)


def test_the_files_of_spark_give_nothing_away(spark, tmp_path):
    """One behind the other, the files are in the order of what is released."""
    import pyarrow.parquet as parquet

    table = people(4000)
    given = spark.createDataFrame(table).repartition(4)
    release = marginswap.protect(given, release_id=True, rate="15 %", **ENGINE)
    assert release.write(tmp_path / "released").equal
    files = sorted((tmp_path / "released").rglob("*.parquet"))
    files = [parquet.ParquetFile(file).read().to_pylist() for file in files]
    assert in_order([row for rows in files for row in rows]) and is_spread(table, files)
    assert in_order(release.table.toArrow().to_pylist())


def test_larger_swaps_and_derived_variables_go_through_spark(spark):
    table = people()
    asked = {**ENGINE, "max_records": 4, "derive": {"old": "band(age, 40)"}, "keep": ["sex*old"]}
    here = marginswap.protect(table, release_id=True, **asked)
    release = marginswap.protect(spark.createDataFrame(table), release_id=True, **asked)
    assert by_person(release.table.toArrow()) == by_person(here.data)
    assert release.verdict == here.verdict and release.equal


def test_names_with_any_signs(spark):
    table = people().rename_columns(["re.gion", "se x", 'a"ge', "jo`b", "select", "income", "person"])
    asked = {
        "keys": ["re.gion", 'a"ge', "jo`b"],
        "keep": ["`re.gion`*`se x`", '`se x`*`a"ge`'],
        "id": "person",
        "ignore": ["income"],
        "demo_seed": 2,
    }
    release = marginswap.protect(spark.createDataFrame(table), **asked)
    assert release.equal and "jo`b" in release.table.columns


def test_other_functions_say_what_they_take(spark):
    frame = spark.createDataFrame(people())
    with pytest.raises(TypeError, match="toArrow"):
        marginswap.inspect(frame)
    assert marginswap.inspect(frame.toArrow(), ignore=["income"]).records == 600


def test_law_the_whole_job_goes_through_spark(spark, tmp_path):
    """Plans, questions and households as in memory; what a writer of one's own wrote is recounted."""
    table = people()
    frame = spark.createDataFrame(table)
    plan = marginswap.plan(frame, **ENGINE)
    assert plan == marginswap.plan(table, **ENGINE)
    plan.save(tmp_path / "swap.plan")
    release = marginswap.apply(frame, tmp_path / "swap.plan", release_id=True)
    here = marginswap.protect(table, release_id=True, **ENGINE)
    assert by_person(release.table.toArrow()) == by_person(here.data)
    asked = {"id": "person", "ignore": ["income"], "keep": ASKED["keep"]}
    assert marginswap.screen(frame, **asked) == marginswap.screen(table, **asked)

    def writer(made, path):
        made.write.format("json").option("ignoreNullFields", "false").save(path)
        return spark.createDataFrame(made.toArrow())

    assert release.write(tmp_path / "json", writer=writer).equal


def test_households_go_through_spark(spark, tmp_path):
    rows = people(400).drop_columns(["region"])
    homes = [f"h{number // 3:04}" for number in range(400)]
    drawn = survey(400)["region"]
    regions = [drawn[number // 3] for number in range(400)]
    table = rows.append_column("home", [homes]).append_column("region", [regions])
    asked = {
        "household": "home", "id": "person", "ignore": ["income"], "keep": ["region*sex"],
        "keep_households": ["region*size"], "keys": ["region", "age", "sex", "job"], "demo_seed": 3,
    }
    here = marginswap.protect(table, release_id=True, **asked)
    frame = spark.createDataFrame(table)
    there = marginswap.protect(frame, release_id=True, **asked)
    assert by_person(there.table.toArrow()) == by_person(here.data)
    release = marginswap.protect(frame, **asked)
    assert release.write(tmp_path / "homes").equal
    back = release.table.toArrow().to_pydict()
    assert set(back["home"]) == set(range(1, 135)) and there.records_changed > 0


def test_no_value_goes_into_a_statement(spark, monkeypatch):
    from marginswap import _engines

    seen = []
    for name in ("arrow", "lazy"):
        asked = getattr(_engines.Spark, name)

        def listening(self, statement, asked=asked, **tables):
            seen.append(statement)
            return asked(self, statement, **tables)

        monkeypatch.setattr(_engines.Spark, name, listening)
    marginswap.protect(spark.createDataFrame(people()), **ENGINE)
    text = "\n".join(seen)
    assert len(seen) >= 6 and "north" not in text and "p0000" not in text
