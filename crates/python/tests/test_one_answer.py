"""Law: from one project and one seed, every door gives the same released values and plan."""

import csv

import pytest

import marginswap
from conftest import ASKED, survey

FLAGS = ["--keys", "region,age,job,owner", "--keep", "region*sex + sex*age"]


def texts(rows):
    """Rows as texts, as a CSV file has them."""
    words = {None: "", True: "true", False: "false"}
    return [[words.get(value, str(value)) if not isinstance(value, int) or isinstance(value, bool) else str(value) for value in row] for row in rows]


def rows_of(columns):
    return list(zip(*columns.values()))


@pytest.fixture
def seed(tmp_path):
    path = tmp_path / "seed"
    path.write_text("SECRET: marginswap seed. Anyone who has it can repeat the choice of swaps.\n" + "5c" * 32 + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def by_program(tmp_path, program, seed):
    """What the program makes of the survey as a Parquet file."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    data, out, plan = tmp_path / "data.parquet", tmp_path / "out.parquet", tmp_path / "swap.plan"
    parquet.write_table(pa.table(survey()), data)
    program("protect", data, *FLAGS, "--seed-file", seed, "-o", out, "--plan", plan)
    return data, parquet.read_table(out).to_pydict(), plan


def test_law_every_door_gives_the_same(tmp_path, by_program, seed):
    data, expected, plan = by_program
    planned = marginswap.Plan.load(plan)
    out = tmp_path / "python.parquet"
    by_path = marginswap.protect(data, out=out, seed_file=seed, **ASKED)
    assert out.read_bytes() == (tmp_path / "out.parquet").read_bytes()
    assert by_path.data is None and by_path.plan.same_swaps(planned)
    for kind in ("pyarrow", "pandas", "polars"):
        library = pytest.importorskip(kind)
        make = library.table if kind == "pyarrow" else library.DataFrame
        frame = make(survey())
        release = marginswap.protect(frame, seed_file=seed, **ASKED)
        assert texts(rows_of(plain(kind, release.data))) == texts(rows_of(expected)), kind
        assert release.plan.same_swaps(planned), kind
        again = marginswap.plan(frame, seed_file=seed, **ASKED)
        assert again.same_swaps(planned), kind
        applied = marginswap.apply(frame, again, seed_file=seed)
        assert texts(rows_of(plain(kind, applied.data))) == texts(rows_of(expected)), kind


def plain(kind, frame):
    if kind == "pandas":
        pd = pytest.importorskip("pandas")
        return {name: [None if pd.isna(one) else one for one in frame[name]] for name in frame}
    return frame.to_pydict() if kind == "pyarrow" else frame.to_dict(as_series=False)


def test_a_csv_file_gives_the_same_swaps(tmp_path, by_program, seed):
    _, expected, plan = by_program
    data = tmp_path / "data.csv"
    with open(data, "w", newline="") as file:
        writer = csv.writer(file)
        columns = survey()
        writer.writerow(columns)
        writer.writerows(texts(rows_of(columns)))
    out = tmp_path / "out.csv"
    release = marginswap.protect(data, out=out, seed_file=seed, **ASKED)
    assert release.plan.same_swaps(marginswap.Plan.load(plan))
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1:] == texts(rows_of(expected))


def test_a_saved_plan_is_the_same_plan(tmp_path, arrow_table, seed, by_program):
    plan = marginswap.plan(arrow_table, seed_file=seed, **ASKED)
    plan.save(tmp_path / "mine.plan")
    with pytest.raises(marginswap.Refusal, match="E803"):
        plan.save(tmp_path / "mine.plan")
    loaded = marginswap.Plan.load(tmp_path / "mine.plan")
    assert loaded.same_swaps(plan) and loaded.to_dict() == plan.to_dict()
    assert (tmp_path / "mine.plan").stat().st_mode & 0o077 == 0
    assert marginswap.apply(arrow_table, tmp_path / "mine.plan", seed_file=seed).equal
    # A plan for other contents is refused, whichever library holds them.
    with pytest.raises(marginswap.Refusal) as refused:
        marginswap.apply(arrow_table.slice(1), loaded)
    assert refused.value.code == "E501"


def test_answers_are_those_of_the_program(tmp_path, program, by_program):
    import json

    data, _, _ = by_program
    asked = json.loads(program("screen", data, *FLAGS[2:], "--json").stdout)
    assert marginswap.screen(data, keep=ASKED["keep"]).to_dict() == asked
    told = json.loads(program("inspect", data, "--json").stdout)
    pa = pytest.importorskip("pyarrow")
    mine = marginswap.inspect(pa.table(survey())).to_dict()
    alone = {"data": "", "format": ""}
    assert {**mine, **alone} == {**told, **alone}
    flags = ["--keys", "region,age,job,owner", "--population", "9000", "--json"]
    model = json.loads(program("risk", data, *flags).stdout)
    assert marginswap.risk(data, keys=ASKED["keys"], population=9000).to_dict() == model


def test_threads_do_not_matter(arrow_table):
    one = marginswap.protect(arrow_table, demo_seed=2, threads=1, **ASKED)
    two = marginswap.protect(arrow_table, demo_seed=2, threads=2, **ASKED)
    assert one.data.equals(two.data) and one == two


def test_larger_swaps_and_derived_variables(arrow_table, tmp_path, program):
    import pyarrow.parquet as parquet

    data, out = tmp_path / "data.parquet", tmp_path / "out.parquet"
    parquet.write_table(arrow_table, data)
    derived = "age20 = band(age, 20)"
    flags = ["--keys", "region,age,job", "--keep", "region*sex*age20", "--derive", derived]
    program("protect", data, *flags, "--max-records", 4, "--demo-seed", 5, "-o", out)
    release = marginswap.protect(
        arrow_table,
        keys=["region", "age", "job"],
        keep=["region*sex*age20"],
        derive={"age20": "band(age, 20)"},
        max_records=4,
        demo_seed=5,
    )
    assert release.data.to_pydict() == parquet.read_table(out).to_pydict()


def test_an_ignored_column_of_floating_point_numbers_goes_with_its_record(tmp_path, program, columns):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    columns["income"] = [number / 4 for number in range(600)]
    data, out = tmp_path / "data.parquet", tmp_path / "out.parquet"
    parquet.write_table(pa.table(columns), data)
    flags = [*FLAGS, "--ignore", "income", "--demo-seed", 6]
    program("protect", data, *flags, "-o", out)
    here = marginswap.protect(pa.table(columns), ignore=["income"], demo_seed=6, **ASKED)
    assert parquet.read_table(out).to_pydict() == here.data.to_pydict()


def test_law_households_of_a_frame_are_those_of_a_file(tmp_path, program, seed):
    """Whole households, and persons after them: the program and every kind of table agree."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    columns = survey(300)
    homes = [number * 7 % 300 // 3 for number in range(300)]
    columns["home"] = [f"h{home}" for home in homes]
    # All who share a home live in one region and own it or not.
    columns["region"] = [columns["region"][home] for home in homes]
    columns["owner"] = [columns["owner"][home] for home in homes]
    data, out = tmp_path / "data.parquet", tmp_path / "out.parquet"
    parquet.write_table(pa.table(columns), data)
    flags = ["--household", "home", "--keep-households", "region*size", "--then", "persons"]
    program("protect", data, *FLAGS, *flags, "--seed-file", seed, "-o", out)
    expected = parquet.read_table(out).to_pydict()
    asked = {**ASKED, "household": "home", "keep_households": ["region*size"], "then": "persons"}
    for kind in ("pyarrow", "pandas", "polars"):
        library = pytest.importorskip(kind)
        frame = (library.table if kind == "pyarrow" else library.DataFrame)(columns)
        release = marginswap.protect(frame, seed_file=seed, **asked)
        assert release.equal and release.records_changed > 0
        assert texts(rows_of(plain(kind, release.data))) == texts(rows_of(expected)), kind
        planned = marginswap.plan(frame, seed_file=seed, **asked)
        applied = marginswap.apply(frame, planned, seed_file=seed)
        assert texts(rows_of(plain(kind, applied.data))) == texts(rows_of(expected)), kind
