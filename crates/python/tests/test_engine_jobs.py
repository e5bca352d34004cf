"""The whole job through engines: questions, plans and their files, households, weights, CSV files,
writers of one's own. What is asked of a table in memory has the same answer here."""

import os

import pytest

import marginswap
from conftest import ASKED, counted, survey

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

HOME = {
    "household": "home",
    "id": "person",
    "keep": ["region*sex"],
    "keep_households": ["region*size", "tenure*count(age < 20)"],
    "keys": ["region", "age", "sex"],
    "demo_seed": 3,
}


def people(records=600):
    columns = survey(records)
    columns["income"] = [number * 1.5 for number in range(records)]
    columns["person"] = [f"p{number:06}" for number in range(records)]
    return pa.table(columns)


def families(homes=240):
    """Persons of households, in the order of household and person."""
    drawn = survey(homes * 5)
    rows = {name: [] for name in ("home", "person", "region", "tenure", "sex", "age", "note")}
    for home in range(homes):
        for member in range(1 + drawn["age"][home] // 10 % 4):
            at = homes + home * 4 + member
            rows["home"].append(f"h{home:04}")
            rows["person"].append(f"h{home:04}-{member}")
            rows["region"].append(drawn["region"][home])
            rows["tenure"].append(drawn["job"][home])
            rows["sex"].append(drawn["sex"][at])
            rows["age"].append(drawn["age"][at])
            rows["note"].append(f"{home * 31 % 17}")
    return pa.table(rows)


def relation(table, connection=None):
    connection = connection or duckdb.connect()
    connection.register("given", table)
    return connection.sql("SELECT * FROM given")


def shuffled(table):
    """The same records in another order, which no engine keeps."""
    rows = sorted(range(table.num_rows), key=lambda row: row * 7919 % 10007)
    return table.take(rows)


ENGINE = {**ASKED, "id": "person", "ignore": ["income"], "demo_seed": 11}
QUESTION = {name: value for name, value in ENGINE.items() if name != "demo_seed"}


def by_person(table):
    return {row.pop("person"): row for row in table.to_pylist()}


def homes_of(table, home="home"):
    """What lives together, however households are called."""
    found = {}
    for row in table.to_pylist():
        name = row.pop(home)
        row.pop("person", None)
        found.setdefault(name, []).append(tuple(sorted(map(repr, row.items()))))
    return sorted(sorted(members) for members in found.values())


def test_law_an_engine_plans_and_applies_what_memory_does(tmp_path):
    table = people()
    given = relation(shuffled(table))
    asked = {**ENGINE, "release_id": True}
    here, there = marginswap.plan(table, **ENGINE), marginswap.plan(given, **ENGINE)
    assert there.to_dict() == here.to_dict() and str(there) == str(here)
    expected = by_person(marginswap.protect(table, **asked).data)
    release = marginswap.apply(given, there, release_id=True)
    assert by_person(pa.table(release.table)) == expected
    assert release.equal and release.records_changed == here.records_changed > 0
    # What `protect` makes on cells alone is what the plan makes.
    whole = marginswap.protect(given, **asked)
    assert by_person(pa.table(whole.table)) == expected and whole.plan is None
    # A plan file says the same, and fits the table it was made for alone.
    there.save(tmp_path / "swap.plan")
    again = marginswap.apply(given, tmp_path / "swap.plan", release_id=True)
    assert by_person(pa.table(again.table)) == expected
    other = relation(table.slice(1))
    with pytest.raises(marginswap.Refusal, match="E501"):
        marginswap.apply(other, tmp_path / "swap.plan")
    written = again.write(tmp_path / "released.parquet")
    assert written.equal and written.records_changed == release.records_changed


def test_a_plan_file_is_kept_with_the_release(tmp_path):
    given = relation(people())
    path = tmp_path / "kept.plan"
    release = marginswap.protect(given, plan=path, **ENGINE)
    assert path.exists() and os.stat(path).st_mode & 0o077 == 0
    loaded = marginswap.Plan.load(path)
    assert loaded.same_swaps(release.plan)
    assert release.write(tmp_path / "released.parquet").released == str(tmp_path / "released.parquet")


def test_parquet_files_take_plans(tmp_path):
    import pyarrow.parquet as parquet

    table = people().drop_columns(["person"])
    parquet.write_table(table, tmp_path / "one.parquet")
    asked = {name: value for name, value in ENGINE.items() if name != "id"}
    plan = marginswap.plan(tmp_path / "one.parquet", engine="duckdb", **asked)
    release = marginswap.apply(tmp_path / "one.parquet", plan, engine="duckdb")
    here = marginswap.protect(table, **asked).data
    there = pa.table(release.table)
    assert sorted(map(repr, there.to_pylist())) == sorted(map(repr, here.to_pylist()))


def test_law_questions_to_an_engine_have_the_answers_of_memory():
    table = people()
    texts = pa.array(map(str, table.column("income").to_pylist()))
    table = table.set_column(table.column_names.index("income"), "income", texts)
    given = relation(shuffled(table))
    asked = {"id": "person", "ignore": ["income"]}
    for keep in (["region*sex", "sex*age"], ["region*sex*age*job"]):
        there = marginswap.screen(given, keep=keep, keys=ASKED["keys"], **asked)
        assert there == marginswap.screen(table, keep=keep, keys=ASKED["keys"], **asked)
    model = {"keys": ["region", "age", "job"], "population": 9000, **asked}
    assert marginswap.risk(given, suda=3, **model) == marginswap.risk(table, suda=3, **model)
    release = marginswap.protect(table, **ENGINE)
    there = marginswap.verify(given, relation(release.data), **QUESTION)
    here = marginswap.verify(table, release.data, shuffled=True, **QUESTION)
    same = {**here.to_dict(), "verdict": None, "reasons": None}
    assert {**there.to_dict(), "verdict": None, "reasons": None} == same and there.equal
    # Whether an ignored column gives swaps away is not known there, and said.
    reasons = [{one["reason"] for one in answer.reasons} for answer in (here, there)]
    assert reasons[1] - reasons[0] == {"columns_unchecked"}
    page = marginswap.report(given, relation(release.data), **QUESTION)
    assert page.html.startswith("<!DOCTYPE html>")
    budgets = {"budgets": ["5%", "none"], "seeds": 1}
    assert marginswap.frontier(given, **budgets, **ENGINE) == marginswap.frontier(
        table, **budgets, **ENGINE
    )


def test_a_broken_table_is_found_by_an_engine():
    table = people()
    release = marginswap.protect(table, **ENGINE).data
    first = release.column("sex").to_pylist()
    first[0] = "m" if first[0] == "f" else "f"
    broken = release.set_column(release.column_names.index("sex"), "sex", pa.array(first))
    found = marginswap.verify(relation(table), relation(broken), **QUESTION)
    assert not found and not found.equal and found.verdict == "do_not_release"
    with pytest.raises(marginswap.Refusal, match="E113"):
        marginswap.verify(relation(table), relation(broken.drop_columns(["sex"])), **QUESTION)


def test_what_stays_in_the_engine_is_not_asked_for():
    with pytest.raises(marginswap.Refusal, match="E160"):
        marginswap.plan(relation(people()), **{**ENGINE, "risky": "records:list.csv"})


@pytest.mark.parametrize(
    "more",
    [
        {"risky": "top:5", "population": 9000},
        {"weight": "owner"},
        {"weight": "owner", "weight_drift": "5%"},
    ],
    ids=["by a model", "weights", "weights within a bound"],
)
def test_what_cells_do_not_show_goes_by_lines(more):
    table = people()
    owner = table.column_names.index("owner")
    weights = pa.array([1 + one for one in map(int, table.column("owner").to_pylist())])
    table = table.set_column(owner, "owner", weights)
    asked = {**ENGINE, **more, "keys": ["region", "age", "job"], "release_id": True}
    release = marginswap.protect(relation(shuffled(table)), **asked)
    here = marginswap.protect(table, **asked)
    assert by_person(pa.table(release.table)) == by_person(here.data)
    assert release.records_changed == here.records_changed > 0


def test_law_an_engine_swaps_the_households_that_memory_swaps(tmp_path):
    table = families()
    given = relation(shuffled(table))
    here = marginswap.protect(table, release_id=True, **HOME)
    there = marginswap.protect(given, release_id=True, **HOME)
    assert by_person(pa.table(there.table)) == by_person(here.data)
    assert there.equal and there.records_changed == here.records_changed > 0
    fields = ("at_risk", "gone", "matched", "found", "households", "verdict")
    assert [there.to_dict()[name] for name in fields] == [here.to_dict()[name] for name in fields]

    # New names: members together, households in the order of what is released of them.
    release = marginswap.protect(given, **HOME)
    back = pa.table(release.table)
    assert homes_of(back) == homes_of(here.data)
    names = back.column("home").to_pylist()
    assert names == sorted(names) and set(names) == set(range(1, 241))
    for margin in (["region", "sex"], ["region", "tenure", "note"]):
        assert sum(counted(back.to_pydict(), margin).values()) == table.num_rows
    assert counted(back.to_pydict(), ["region", "sex"]) == counted(table.to_pydict(), ["region", "sex"])

    # What is written is counted again by households.
    assert release.write(tmp_path / "homes.parquet").equal
    plan = marginswap.plan(given, **HOME)
    assert plan.to_dict() == marginswap.plan(table, **HOME).to_dict()
    followed = marginswap.apply(given, plan, release_id=True)
    assert by_person(pa.table(followed.table)) == by_person(here.data)
    asked = {name: value for name, value in HOME.items() if name not in ("demo_seed", "id")}
    found = marginswap.verify(given, relation(back), ignore=["person"], **asked)
    assert found.equal and found.household_fates


def test_an_engine_that_tears_households_is_found_out(tmp_path, monkeypatch):
    from marginswap import _engines

    release = marginswap.protect(relation(families()), **HOME)
    write = _engines.DuckDB.write
    torn = "SELECT * REPLACE ((home + 1) // 2 AS home) FROM ms_source"

    def wrong(self, table, path, partition_by):
        return write(self, table.query("ms_source", torn), path, partition_by)

    monkeypatch.setattr(_engines.DuckDB, "write", wrong)
    with pytest.raises(marginswap.Bug, match="E602"):
        release.write(tmp_path / "wrong.parquet")
    assert not (tmp_path / "wrong.parquet").exists(), "nothing wrong is left behind"


def test_records_without_a_household_and_very_large_ones_are_refused():
    table = families(40)
    for blank in (None, ""):
        homes = [blank, *table.column("home").to_pylist()[1:]]
        without = table.set_column(0, "home", pa.array(homes))
        with pytest.raises(marginswap.Refusal, match="E260"):
            marginswap.protect(relation(without), **HOME)
    crowded = table.set_column(0, "home", pa.array(["h1"] * table.num_rows))
    crowded = pa.concat_tables([crowded] * 4)
    persons = pa.array([f"p{number}" for number in range(crowded.num_rows)])
    crowded = crowded.set_column(1, "person", persons)
    assert crowded.num_rows > 256
    with pytest.raises(marginswap.Refusal, match="E161"):
        marginswap.protect(relation(crowded), **HOME)


CSV = "region,sex,age,job,note\n"


def write_csv(path, sign=","):
    columns = survey(600)
    lines = []
    for number in range(600):
        job = columns["job"][number]
        fields = [
            columns["region"][number] or '""' * (number % 2),
            columns["sex"][number],
            f"{columns['age'][number]:03}",
            "NA" if job is None else job,
            f'"a, ""b"" {number}"',
        ]
        lines.append(sign.join(fields))
    path.write_text(CSV.replace(",", sign) + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("sign", [",", ";"])
def test_law_a_csv_file_through_duckdb_is_released_as_the_file(tmp_path, sign):
    path = write_csv(tmp_path / "survey.csv", sign)
    asked = {
        "keys": ["region", "age", "job"], "keep": ["region*sex", "sex*age"], "ignore": ["note"],
        "demo_seed": 4,
    }
    here = marginswap.protect(path, out=tmp_path / "here.csv", **asked)
    release = marginswap.protect(path, engine="duckdb", **asked)
    assert release.records_changed == here.records_changed > 0 and release.equal
    rows = pa.table(release.table).to_pylist()
    # Nothing is missing, an empty field is an empty text, and codes keep their zeros.
    assert {row["region"] for row in rows} >= {"", "north"} and all(None not in row.values() for row in rows)
    assert {row["job"] for row in rows} >= {"NA", "a"} and "000" in {row["age"] for row in rows}
    written = release.write(tmp_path / "there.csv")
    assert written.equal and (tmp_path / "there.csv").read_text().startswith(CSV.strip().replace(",", sign))
    names = CSV.strip().split(",")
    files = [marginswap_rows(tmp_path / name, names, sign) for name in ("here.csv", "there.csv")]
    assert files[0] == files[1]
    # The converted copy is as secret as the data, and goes with the release.
    folder = release._engine.converted.folder.name
    assert os.stat(folder).st_mode & 0o077 == 0
    del release, written
    import gc

    gc.collect()
    assert not os.path.exists(folder)


def marginswap_rows(path, names, sign):
    import csv

    with path.open(newline="") as file:
        return sorted(tuple(row[name] for name in names) for row in csv.DictReader(file, delimiter=sign))


@pytest.mark.parametrize("text", ["1,2\n", "1,2,3,4,5,SECRET\n", '1,2,3,4,"SECRET\n'])
def test_a_csv_file_that_duckdb_reads_otherwise_is_refused(tmp_path, text):
    path = tmp_path / "bad.csv"
    path.write_text(CSV + "n,f,1,a,x\n" + text)
    with pytest.raises(marginswap.Refusal, match="E162") as refused:
        marginswap.protect(path, engine="duckdb", keys=["age"], keep=["region*sex"], demo_seed=1)
    assert "SECRET" not in str(refused.value)


def test_a_writer_of_ones_own_is_recounted(tmp_path):
    """Delta and Iceberg are written so; here a table of the database stands for them."""
    connection = duckdb.connect()
    release = marginswap.protect(relation(people(), connection), **ENGINE)
    seen = []

    def writer(table, name):
        seen.append(name)
        table.create(name)
        return connection.table(name)

    assert release.write("released", writer=writer).equal and seen == ["released"]

    def wrong(table, name):
        table.filter("sex = 'f'").create(name)
        return connection.table(name)

    with pytest.raises(marginswap.Bug, match="E602"):
        release.write("wrong", writer=wrong)
    with pytest.raises(TypeError, match="read back"):
        release.write("nothing", writer=lambda table, name: None)
    with pytest.raises(TypeError, match="partition_by"):
        release.write("nothing", writer=writer, partition_by=["sex"])
