"""Every door to an engine gives what memory gives: DuckDB, DataFusion, and databases by ADBC."""

import os

import pytest

import marginswap
from conftest import ASKED, counted, survey

pa = pytest.importorskip("pyarrow")

ENGINE = {**ASKED, "id": "person", "ignore": ["income"], "demo_seed": 11}


def people(records=600):
    columns = survey(records)
    columns["income"] = [number * 1.5 for number in range(records)]
    columns["person"] = [f"p{number:06}" for number in range(records)]
    return pa.table(columns)


class ByDuckDB:
    """A relation."""

    def __init__(self):
        self.connection = pytest.importorskip("duckdb").connect()

    def given(self, table):
        self.connection.register("survey", table)
        return {"data": self.connection.sql("SELECT * FROM survey")}

    def read(self, released):
        return pa.table(released)


class ByDataFusion:
    """A context and the name of a table."""

    def __init__(self):
        module = pytest.importorskip("datafusion", reason="datafusion is not installed")
        self.context = module.SessionContext()

    def given(self, table):
        self.context.from_arrow(table, name="survey")
        return {"data": "survey", "engine": self.context}

    def read(self, released):
        return released.to_arrow_table()


class ByAdbc:
    """A connection and the name of a table."""

    def __init__(self, connection):
        self.connection = connection

    def given(self, table):
        with self.connection.cursor() as cursor:
            cursor.adbc_ingest("survey", table, mode="create")
        return {"data": "survey", "engine": self.connection}

    def read(self, released):
        with self.connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{released}"')
            return cursor.fetch_arrow_table()


def by_sqlite(folder):
    module = pytest.importorskip("adbc_driver_sqlite.dbapi", reason="adbc-driver-sqlite is not installed")
    return ByAdbc(module.connect(str(folder / "people.db")))


def by_duckdb_adbc(_):
    pytest.importorskip("adbc_driver_manager", reason="adbc-driver-manager is not installed")
    module = pytest.importorskip("adbc_driver_duckdb.dbapi", reason="DuckDB has no ADBC driver here")
    return ByAdbc(module.connect())


def by_postgres(_):
    """A server of one's own: MARGINSWAP_POSTGRES is its URI."""
    module = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="adbc-driver-postgresql is not installed")
    if "MARGINSWAP_POSTGRES" not in os.environ:
        pytest.skip("MARGINSWAP_POSTGRES names no server")
    return ByAdbc(module.connect(os.environ["MARGINSWAP_POSTGRES"]))


DOORS = {
    "duckdb": lambda _: ByDuckDB(),
    "datafusion": lambda _: ByDataFusion(),
    "sqlite by ADBC": by_sqlite,
    "duckdb by ADBC": by_duckdb_adbc,
    "postgres by ADBC": by_postgres,
}


@pytest.fixture(params=DOORS, ids=[name.replace(" ", "-") for name in DOORS])
def door(request, tmp_path):
    made = DOORS[request.param](tmp_path)
    yield made
    if isinstance(made, ByAdbc):
        made.connection.close()


def by_person(table):
    """Rows by person; SQLite has numbers for truth values."""
    rows = table.to_pylist()
    for row in rows:
        row["owner"] = bool(row["owner"])
    return {row.pop("person"): row for row in rows}


def test_law_every_door_releases_what_memory_releases(door):
    """The same records change, to the same values, with the same verdict for the same reasons."""
    table = people()
    here = marginswap.protect(table, release_id=True, **ENGINE)
    release = marginswap.protect(**door.given(table), release_id=True, **ENGINE)
    assert by_person(door.read(release.table)) == by_person(here.data)
    same = ["at_risk", "gone", "shared", "matched", "protected", "newly_exposed", "new_pairs"]
    same += ["records_changed", "cells_changed", "replaced", "separated", "values_replaced", "equal", "margins"]
    assert {name: release.to_dict()[name] for name in same} == {
        name: here.to_dict()[name] for name in same
    }
    assert release.verdict == here.verdict == "do_not_release"


def test_a_yes_is_earned_in_an_engine_too(door):
    """Without columns that go along the verdict is that of memory; with them, it says so."""
    table = people(2000).drop_columns(["income"])
    # A secret seed; nobody at risk is left matched, or the verdict says why in both.
    seed = {"keys": ["region", "age"], "keep": ["sex*owner"], "id": "person", "demo_seed": 3}
    here = marginswap.protect(table, **seed)
    release = marginswap.protect(**door.given(table), **seed)
    assert release.reasons == here.reasons and release.not_known == []
    assert str(release).splitlines()[0] == str(here).splitlines()[0]


def test_columns_that_go_along_are_not_judged(door):
    release = marginswap.protect(**door.given(people()), **ENGINE)
    unchecked = [why for why in release.reasons if why["reason"] == "columns_unchecked"]
    assert unchecked == [{"reason": "columns_unchecked", "columns": 1}]
    assert release.not_known and "Not known" in str(release)


def test_what_every_door_writes_is_recounted(door, tmp_path):
    table = people()
    release = marginswap.protect(**door.given(table), **ENGINE)
    written = release.write(tmp_path / "released.parquet")
    assert written.equal and written.to_dict() == {
        **release.to_dict(),
        "released": str(tmp_path / "released.parquet"),
    }
    import pyarrow.dataset as dataset

    back = dataset.dataset(tmp_path / "released.parquet").to_table().to_pydict()
    for margin in (["region", "sex"], ["sex", "age"]):
        assert counted(table.to_pydict(), margin) == counted(back, margin)
    assert "person" not in back and sorted(back["income"]) == sorted(table.to_pydict()["income"])


def test_what_goes_along_stays_with_its_record(door):
    """A weight or an income is that of the person whose record it was."""
    table = people()
    release = marginswap.protect(**door.given(table), release_id=True, **ENGINE)
    before = {row["person"]: row["income"] for row in table.to_pylist()}
    after = {row["person"]: row["income"] for row in door.read(release.table).to_pylist()}
    assert before == after


def test_names_with_any_signs_at_every_door(door):
    table = people().rename_columns(["re.gion", "se x", 'a"ge', "jo`b", "select", "income", "person"])
    asked = {
        "keys": ["re.gion", 'a"ge', "jo`b"],
        "keep": ["`re.gion`*`se x`", '`se x`*`a"ge`'],
        "id": "person",
        "ignore": ["income"],
        "demo_seed": 2,
    }
    release = marginswap.protect(**door.given(table), **asked)
    assert release.equal and set(door.read(release.table).column_names) == set(table.column_names) - {"person"}


def test_an_id_must_name_every_record_once_at_every_door(door):
    table = people().set_column(6, "person", [["p1"] * 600])
    with pytest.raises(marginswap.Refusal, match="E114"):
        marginswap.protect(**door.given(table), **ENGINE)


def test_no_value_goes_into_a_statement_at_any_door(door, monkeypatch):
    from marginswap import _engines

    seen = []
    for kind in (_engines.DuckDB, _engines.DataFusion, _engines.Adbc):
        for name in ("arrow", "lazy"):
            asked = getattr(kind, name)

            def listening(self, statement, asked=asked, **tables):
                seen.append(statement)
                return asked(self, statement, **tables)

            monkeypatch.setattr(kind, name, listening)
    marginswap.protect(**door.given(people()), **{**ENGINE, "demo_seed": 9021077})
    text = "\n".join(seen)
    assert len(seen) >= 6
    for value in ("north", "South", "'west'", "p000", "9021077"):
        assert value not in text, value


def test_moves_are_forgotten(tmp_path):
    """Nothing but what the released table needs is left with the engine."""
    door = ByDataFusion()
    release = marginswap.protect(**door.given(people()), **ENGINE)
    known = {name for name in door.context.catalog().schema().names()}
    assert not any(name.startswith("ms_moves") for name in known), known
    sqlite = by_sqlite(tmp_path)
    marginswap.protect(**sqlite.given(people()), **ENGINE)
    with sqlite.connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_temp_master")
        known = [name for (name,) in cursor.fetchall()]
    assert known and not any(name.startswith("ms_moves") for name in known), known
    assert release.equal


@pytest.mark.parametrize("collation", ["NOCASE", "RTRIM"])
def test_columns_that_fold_text_are_refused(collation, tmp_path):
    """A column's own collation, which no comparison of literals shows."""
    door = by_sqlite(tmp_path)
    with door.connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE folded (person TEXT, sex TEXT COLLATE {collation}, age INTEGER)")
        cursor.execute("INSERT INTO folded VALUES ('a', 'f', 1), ('b', 'F', 2), ('c', 'm ', 1)")
    asked = {"keys": ["age"], "keep": ["sex"], "id": "person", "demo_seed": 1}
    with pytest.raises(marginswap.Refusal, match="E116") as refused:
        marginswap.protect("folded", engine=door.connection, **asked)
    assert "sex" in refused.value.place


def test_a_context_must_be_named():
    door = ByDataFusion()
    door.given(people())
    with pytest.raises(TypeError, match="engine=context"):
        marginswap.protect(door.context.table("survey"), **ENGINE)


def test_partitions_are_for_engines_that_write_them(tmp_path):
    door = ByDataFusion()
    release = marginswap.protect(**door.given(people()), **ENGINE)
    with pytest.raises(marginswap.Refusal, match="partition_by"):
        release.write(tmp_path / "by", partition_by=["sex"])
