"""Tables of engines: counted and rewritten there, planned here."""

import datetime
import re

import pytest

import marginswap
from conftest import ASKED, counted, in_order, is_spread, survey

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")


def people(records=600, **more):
    columns = survey(records)
    columns["income"] = [number * 1.5 for number in range(records)]
    columns["person"] = [f"p{number * 7919 % records:06}" for number in range(records)]
    return pa.table({**columns, **more})


def relation(table, connection=None):
    connection = connection or duckdb.connect()
    connection.register("given", table)
    return connection.sql("SELECT * FROM given")


ENGINE = {**ASKED, "id": "person", "ignore": ["income"], "demo_seed": 11}


def by_person(table):
    rows = table.to_pylist()
    return {row.pop("person"): row for row in rows}


def test_law_an_engine_releases_what_memory_releases():
    """The same records change, to the same values; by id, since engines have no order."""
    table = people().sort_by("person")
    # An id that is not released would leave nothing to compare records by.
    release = marginswap.protect(relation(table), release_id=True, **ENGINE)
    here = marginswap.protect(table, release_id=True, **ENGINE)
    assert by_person(pa.table(release.table)) == by_person(here.data)
    assert release.equal and release.records_changed == here.records_changed > 0
    assert (release.at_risk, release.gone, release.matched) == (here.at_risk, here.gone, here.matched)


@pytest.mark.parametrize("more", [{"max_records": 4}, {"derive": {"old": "band(age, 40)"}, "keep": ["sex*old"]}])
def test_larger_swaps_and_derived_variables_go_through_engines(more):
    table = people().sort_by("person")
    asked = {**ENGINE, **more, "release_id": True}
    release = marginswap.protect(relation(table), **asked)
    here = marginswap.protect(table, **asked)
    assert by_person(pa.table(release.table)) == by_person(here.data)


def test_what_is_written_is_recounted(tmp_path):
    table = people()
    release = marginswap.protect(relation(table), **ENGINE)
    written = release.write(tmp_path / "released.parquet")
    assert written.equal
    import pyarrow.parquet as parquet

    back = parquet.read_table(tmp_path / "released.parquet").to_pydict()
    assert "person" not in back and list(back) == [*survey(1), "income"]
    for margin in (["region", "sex"], ["sex", "age"]):
        assert counted(table.to_pydict(), margin) == counted(back, margin)
    assert sorted(back["income"]) == sorted(table.column("income").to_pylist())
    with pytest.raises(marginswap.Refusal, match="E803"):
        release.write(tmp_path / "released.parquet")


def test_parquet_files_of_any_number(tmp_path):
    import pyarrow.parquet as parquet

    table = people().drop_columns(["person"])
    for part in range(3):
        parquet.write_table(table.slice(part * 200, 200), tmp_path / f"part{part}.parquet")
    asked = {name: value for name, value in ENGINE.items() if name != "id"}
    release = marginswap.protect(tmp_path / "*.parquet", engine="duckdb", **asked)
    assert release.equal and release.records == 600
    assert release.table.columns == table.column_names
    one = tmp_path / "one.parquet"
    parquet.write_table(table, one)
    # In one file the rows are in the order of memory.
    here = marginswap.protect(table, **asked)
    there = pa.table(marginswap.protect(one, engine="duckdb", **asked).table)
    rows = [sorted(map(repr, made.to_pylist())) for made in (here.data, there)]
    assert rows[0] == rows[1]
    own = duckdb.connect()
    own.execute("SET threads = 1")
    assert pa.table(marginswap.protect(one, engine=own, **asked).table).equals(there)


def test_the_order_gives_nothing_away():
    """Where a record stands follows from what is released of it, so changed records are spread over
    the released table like all others."""
    table = people(4000)
    release = marginswap.protect(relation(table), release_id=True, rate="15 %", **ENGINE)
    rows = pa.table(release.table).to_pylist()
    assert in_order(rows)
    assert release.records_changed > 200
    assert is_spread(table, [rows])
    # Both would notice: changed records last, as a join may leave them; the order of the source.
    before = by_person(table)
    changed_last = sorted(rows, key=lambda row: {"person": row["person"], **before[row["person"]]} != row)
    assert not in_order(changed_last) and not is_spread(table, [changed_last])
    assert not in_order(sorted(rows, key=lambda row: row["person"]))


def told(text):
    """The values and the number of a record that stand in a text as words of their own: DuckDB
    draws names for its relations, which hold digits."""
    asked = ("north", "South", "west", r"p000\d*", "11")
    return [value for value in asked if re.search(rf"(?<!\w){value}(?!\w)", text)]


def test_no_value_and_no_number_goes_into_a_statement(monkeypatch):
    from marginswap import _engines

    seen = []
    lazy = _engines.DuckDB.lazy

    def listening(self, statement, **tables):
        seen.append(statement)
        return lazy(self, statement, **tables)

    monkeypatch.setattr(_engines.DuckDB, "lazy", listening)
    table = people()
    marginswap.protect(relation(table), **ENGINE)
    text = "\n".join(seen)
    assert len(seen) >= 6
    assert told("SELECT 'north', 11") and not told(text)


def test_a_query_log_tells_nothing():
    """What DuckDB itself logs of the statements holds no value, no number and no seed."""
    connection = duckdb.connect()
    table = people()
    given = relation(table, connection)
    connection.execute("CALL enable_logging('QueryLog')")
    marginswap.protect(given, **ENGINE)
    log = "\n".join(row[0] for row in connection.execute("SELECT message FROM duckdb_logs").fetchall())
    assert "ROW_NUMBER" in log, "the statements are in the log"
    assert not told(log)


def test_changed_records_are_spread_over_all_files(tmp_path):
    """Files that an engine writes have changed records in proportion to all of theirs."""
    table = people(4000)
    release = marginswap.protect(relation(table), release_id=True, rate="15 %", **ENGINE)
    release.write(tmp_path / "files", partition_by=["sex"])
    files = []
    for file in sorted((tmp_path / "files").rglob("*.parquet")):
        sex = file.parent.name.removeprefix("sex=")
        rows = pa.parquet.ParquetFile(file).read().to_pylist()
        files.append([{**row, "sex": sex} for row in rows])
    assert len(files) == 2 and all(in_order(rows) for rows in files)
    assert is_spread(table, files)
    # Changed records in a file of their own would be noticed.
    before, rows = by_person(table), [row for file in files for row in file]
    is_changed = [{"person": row["person"], **before[row["person"]]} != row for row in rows]
    apart = [[row for row, own in zip(rows, is_changed) if own is kind] for kind in (False, True)]
    assert not is_spread(table, apart)


NAMES = ["re.gion", "se x", 'a"ge', "jo`b", "select", "naïve"]


def test_names_with_any_signs():
    columns = survey()
    made = {NAMES[0]: columns["region"], NAMES[1]: columns["sex"], NAMES[2]: columns["age"]}
    made |= {NAMES[3]: columns["job"], NAMES[4]: columns["owner"]}
    made[NAMES[5]] = [f"p{number}" for number in range(600)]
    table = pa.table(made)
    asked = {
        "keys": [NAMES[0], NAMES[2], NAMES[3]],
        "keep": ["`re.gion`*`se x`", '`se x`*`a"ge`'],
        "id": NAMES[5],
        "demo_seed": 2,
    }
    release = marginswap.protect(relation(table), **asked)
    assert release.equal and release.table.columns == NAMES[:5]


@pytest.mark.parametrize(
    "name, code", [("SEX", "E207"), ("ms_count", "E207"), ("Ms_other", "E207")]
)
def test_names_that_engines_confuse_are_refused(name, code):
    table = people().append_column(name, [["x"] * 600])

    from marginswap import _functions, _marginswap

    call = _functions.Call("protect", None, None, None, None, {**ASKED}, held=True)
    with pytest.raises(marginswap.Refusal) as refused:
        _marginswap.Statements(call, ("protect", "spark"), table.column_names, "person")
    assert refused.value.code == code


def test_every_type_comes_back():
    columns = survey()
    more = {
        "day": [datetime.date(2020, 1, 1 + age // 10) for age in columns["age"]],
        "blank": [["", None, "x", "X"][age // 10 % 4] for age in columns["age"]],
    }
    table = people(**more)
    asked = {**ENGINE, "keep": ["region*blank", "sex*day*owner"]}
    release = marginswap.protect(relation(table), **asked)
    back = pa.table(release.table)
    assert back.schema.field("day").type == pa.date32() and back.schema.field("owner").type == pa.bool_()
    margin = ["region", "blank"]
    assert counted(table.to_pydict(), margin) == counted(back.to_pydict(), margin)


@pytest.mark.parametrize("ids", [[None] + [f"p{n}" for n in range(599)], ["p1"] * 600])
def test_an_id_must_name_every_record_once(ids):
    table = people().set_column(6, "person", [ids])
    with pytest.raises(marginswap.Refusal, match="E114"):
        marginswap.protect(relation(table), **ENGINE)


def test_an_id_is_needed():
    asked = {name: value for name, value in ENGINE.items() if name != "id"}
    with pytest.raises(marginswap.Refusal, match="id="):
        marginswap.protect(relation(people()), **asked)
    with pytest.raises(marginswap.Refusal, match="E105"):
        marginswap.protect(relation(people()), **{**ENGINE, "id": "persno"})


def test_floating_point_columns_are_refused():
    asked = {**ENGINE, "ignore": []}
    with pytest.raises(marginswap.Refusal, match="E214"):
        marginswap.protect(relation(people()), **asked)


def test_case_insensitive_collations_are_refused():
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'nocase'")
    with pytest.raises(marginswap.Refusal, match="E116"):
        marginswap.protect(relation(people(), connection), **ENGINE)


def test_a_column_with_a_collation_of_its_own_is_refused():
    connection = duckdb.connect()
    connection.register("given", people())
    connection.execute(
        "CREATE TABLE own (region VARCHAR COLLATE NOCASE, sex VARCHAR, age BIGINT, job VARCHAR, "
        "owner BOOLEAN, income DOUBLE, person VARCHAR)"
    )
    connection.execute("INSERT INTO own SELECT * FROM given")
    with pytest.raises(marginswap.Refusal, match="E116") as refused:
        marginswap.protect(connection.sql("SELECT * FROM own"), **ENGINE)
    assert "region" in refused.value.place


@pytest.mark.parametrize(
    "more, word",
    [
        ({"risky": "records:list"}, "risky="),
        ({"out": "x.parquet"}, "out="),
        ({"order": "input"}, "order="),
    ],
)
def test_what_an_engine_cannot_do_is_refused(more, word):
    with pytest.raises(marginswap.Refusal) as refused:
        marginswap.protect(relation(people()), **{**ENGINE, **more})
    assert word in refused.value.place + refused.value.remedy, str(refused.value)


def test_engines_are_for_their_own_tables(arrow_table, tmp_path):
    with pytest.raises(TypeError, match="engine"):
        marginswap.protect(arrow_table, engine="duckdb", **ASKED)
    with pytest.raises(TypeError, match="engine"):
        marginswap.protect(relation(people()), engine="duckdb", **ENGINE)
    with pytest.raises(TypeError, match="engine"):
        marginswap.protect(tmp_path / "x.parquet", engine="oracle", **ASKED)
    with pytest.raises(TypeError, match="staging"):
        marginswap.protect(arrow_table, staging=tmp_path, **ASKED)


def test_a_relation_is_a_table_in_memory_too():
    """What asks for single records reads a relation."""
    given, table = relation(people()), people()
    asked = {"id": "person", "ignore": ["income"]}
    assert marginswap.inspect(given, ignore=["income"]).records == 600
    why = marginswap.explain(given, record="p000003", keep=ASKED["keep"], **asked)
    assert why == marginswap.explain(table, record="p000003", keep=ASKED["keep"], **asked)
    release = marginswap.protect(given, release_id=True, **ENGINE)
    found = marginswap.verify(table, release.table, **{**ASKED, **asked})
    assert found.equal and found.records_changed == release.records_changed


def test_many_cells_are_told():
    table = people(many=[f"v{number // 3}" for number in range(600)])
    with pytest.warns(marginswap.Note, match="Without `many` there are [0-9]+: ignored columns"):
        marginswap.protect(relation(table), **ENGINE)


def test_an_engine_tells_how_far_it_is():
    steps = []
    asked = {**ENGINE, "progress": lambda step, done, of: steps.append(step)}
    marginswap.protect(relation(people()), **asked)
    assert steps[0] == "counting cells" and "choosing records" in steps and "recounting" in steps


def test_partitions_are_recounted_from_the_files(tmp_path):
    release = marginswap.protect(relation(people()), **ENGINE)
    # `sex` has neither missing nor empty values; `region` has empty ones, `job` missing ones.
    assert release.write(tmp_path / "by_sex", partition_by=["sex"]).equal
    expected = counted(pa.table(release.table).to_pydict(), ["region", "job"])
    for column in ("region", "job"):
        try:
            accepted = release.write(tmp_path / column, partition_by=[column]).equal
        except marginswap.Refusal as refusal:
            assert refusal.code == "E602" and "partition_by" in refusal.remedy
            accepted = False
        # Files are accepted exactly where '' and NULL are two categories in them.
        files = str(tmp_path / column / "**" / "*.parquet")
        options = "hive_partitioning = true, hive_types_autocast = false"
        back = pa.table(duckdb.sql(f"SELECT region, job FROM read_parquet('{files}', {options})"))
        assert accepted == (counted(back.to_pydict(), ["region", "job"]) == expected), column


@pytest.mark.parametrize(
    "written",
    [
        "SELECT * REPLACE (nullif(region, '') AS region) FROM ms_source",
        "SELECT * REPLACE (coalesce(job, '') AS job) FROM ms_source",
        "SELECT * REPLACE (upper(region) AS region) FROM ms_source",
        "SELECT * FROM ms_source UNION ALL (SELECT * FROM ms_source LIMIT 1)",
        "SELECT * FROM ms_source OFFSET 1",
        "SELECT * EXCLUDE (job) FROM ms_source",
    ],
    ids=["'' becomes NULL", "NULL becomes ''", "case is lost", "a row twice", "a row less", "a column less"],
)
def test_an_engine_that_writes_something_else_is_found_out(written, tmp_path, monkeypatch):
    from marginswap import _engines

    release = marginswap.protect(relation(people()), **ENGINE)
    write = _engines.DuckDB.write

    def wrong(self, table, path, partition_by):
        return write(self, table.query("ms_source", written), path, partition_by)

    monkeypatch.setattr(_engines.DuckDB, "write", wrong)
    with pytest.raises(marginswap.Bug, match="E602"):
        release.write(tmp_path / "wrong.parquet")


def test_a_table_that_changes_is_not_released(tmp_path):
    """The engine writes something else than it was asked for."""
    release = marginswap.protect(relation(people()), **ENGINE)
    wrong = release.table.filter("sex = 'f'")
    object.__setattr__(release, "table", wrong)
    with pytest.raises(marginswap.Refusal, match="E602"):
        release.write(tmp_path / "wrong.parquet")


def test_answers_of_engines_are_frozen_and_read_well():
    release = marginswap.protect(relation(people()), **ENGINE)
    assert "all unchanged" in str(release) and release.to_dict()["cells"] > 0
    with pytest.raises(AttributeError):
        release.table = None
    assert "NOT FOR RELEASE" in repr(release)
