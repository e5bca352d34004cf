"""Answers are small frozen objects that read well."""

import copy
import pickle

import pytest

import marginswap
from conftest import ASKED, survey


def test_answers_are_frozen(arrow_table):
    found = marginswap.inspect(arrow_table)
    with pytest.raises(AttributeError):
        found.records = 1
    with pytest.raises(AttributeError):
        del found.notes
    with pytest.raises(AttributeError, match="records"):
        found.recodrs
    fields = found.to_dict()
    fields["columns"].clear()
    found.columns.clear()
    assert found.columns and copy.deepcopy(found) == found


def test_answers_read_well(arrow_table):
    found = marginswap.graph(arrow_table, keep=ASKED["keep"])
    assert repr(found).startswith("<Graph>\n") and str(found) in repr(found)
    assert found._repr_svg_().lstrip().startswith("<") and "<svg" in found._repr_svg_()
    assert "<pre>" in found._repr_html_() and "<svg" in found._repr_html_()
    assert "<script" not in found._repr_html_()
    assert marginswap.inspect(arrow_table)._repr_svg_() is None


def test_a_name_cannot_break_the_page(columns):
    pa = pytest.importorskip("pyarrow")
    columns["<script>alert(1)</script>"] = columns.pop("job")
    table = pa.table(columns)
    assert "<script" not in marginswap.inspect(table)._repr_html_()


def test_a_plan_is_secret(arrow_table):
    plan = marginswap.plan(arrow_table, demo_seed=1, **ASKED)
    assert "SECRET" in repr(plan) and "SECRET" in plan._repr_html_()
    assert plan.swaps > 0 and plan.to_dict()["swaps"] == plan.swaps
    with pytest.raises(TypeError, match="SECRET"):
        pickle.dumps(plan)


def test_a_release_has_a_verdict(arrow_table):
    release = marginswap.protect(arrow_table, demo_seed=1, **ASKED)
    assert release.verdict == "do_not_release" and release.reasons, "others know the seed"
    real = marginswap.protect(arrow_table, **ASKED)
    assert real.verdict in ("release", "review", "do_not_release")
    assert not real.plan.not_for_release


def test_a_report_is_a_page(arrow_table, tmp_path):
    release = marginswap.protect(arrow_table, demo_seed=1, **ASKED)
    page = marginswap.report(
        arrow_table, release.data, plan=release.plan, demo_seed=1, out=tmp_path / "page.html"
    )
    assert (tmp_path / "page.html").read_text() == page.html
    assert "<iframe" in page._repr_html_()
    public = marginswap.report(arrow_table, release.data, external=True, demo_seed=1, shuffled=True, **ASKED)
    assert public.html != page.html


def test_protect_writes_plan_and_pages(arrow_table, tmp_path):
    files = {name: tmp_path / name for name in ("plan", "report", "external_report")}
    release = marginswap.protect(arrow_table, demo_seed=1, **files, **ASKED)
    assert all(path.exists() for path in files.values())
    assert marginswap.Plan.load(files["plan"]).same_swaps(release.plan)
    assert files["plan"].stat().st_mode & 0o077 == 0
    with pytest.raises(marginswap.Refusal, match="E803"):
        marginswap.protect(arrow_table, demo_seed=1, **files, **ASKED)
    marginswap.protect(arrow_table, demo_seed=1, force=True, **files, **ASKED)


def test_a_seal_is_checked(arrow_table, tmp_path):
    plan, key = tmp_path / "swap.plan", tmp_path / "key"
    marginswap.protect(arrow_table, demo_seed=1, plan=plan, seal_file=key, **ASKED)
    assert marginswap.Plan.load(plan).notes and not marginswap.Plan.load(plan, seal_file=key).notes
    with pytest.raises(marginswap.Refusal, match="plan="):
        marginswap.protect(arrow_table, seal_file=key, **ASKED)


def test_projects_are_shared_settings(arrow_table, tmp_path):
    (tmp_path / "marginswap.toml").write_text(
        '[keep]\ntables = ["region*sex", "sex*age"]\n[risk]\nkeys = ["region", "age", "job", "owner"]\n'
    )
    project = marginswap.Project.load(tmp_path / "marginswap.toml")
    assert project == marginswap.Project(**ASKED)
    one = marginswap.protect(arrow_table, project=project, demo_seed=4)
    two = marginswap.protect(arrow_table, project=tmp_path / "marginswap.toml", demo_seed=4)
    three = marginswap.protect(arrow_table, demo_seed=4, **ASKED)
    assert one.data.equals(two.data) and one.data.equals(three.data)
    with pytest.raises(AttributeError):
        project.keys = []
    fewer = marginswap.protect(arrow_table, project=project, budget=10, demo_seed=4)
    assert fewer.plan.records_changed <= 10


def test_explain(arrow_table):
    one = marginswap.explain(arrow_table, record=1, keep=ASKED["keep"])
    assert one.record == 1 and "<svg" in one._repr_svg_()
    many = marginswap.explain(arrow_table, record=1, partners="all", keep=ASKED["keep"])
    assert many.to_dict() != one.to_dict()
    pair = marginswap.explain(arrow_table, pair=(1, 2), keep=ASKED["keep"])
    assert pair.records == [1, 2]
    assert "E203" in str(marginswap.explain("codes"))
    with pytest.raises(marginswap.Refusal):
        marginswap.explain(arrow_table, keep=ASKED["keep"])


def test_verify_finds_what_differs(arrow_table):
    release = marginswap.protect(arrow_table, demo_seed=1, order="input", **ASKED)
    same = marginswap.verify(arrow_table, release.data, **ASKED)
    assert same.equal
    column = release.data.column("sex").to_pylist()
    column[0] = "f" if column[0] == "m" else "m"
    wrong = release.data.set_column(1, "sex", [column])
    found = marginswap.verify(arrow_table, wrong, **ASKED)
    assert not found.equal and found.verdict == "do_not_release"
    assert marginswap.verify(arrow_table, release.data, three_way=True, **ASKED).to_dict() != same.to_dict()


def test_lists_of_records_are_written(arrow_table, tmp_path):
    marginswap.screen(arrow_table, out=tmp_path / "screen.csv", keep=ASKED["keep"])
    assert len((tmp_path / "screen.csv").read_text().splitlines()) == 601
    asked = {"keys": ["region", "age"], "population": 9000}
    plain = marginswap.risk(arrow_table, out=tmp_path / "risk.csv", **asked)
    assert len((tmp_path / "risk.csv").read_text().splitlines()) == 601
    assert marginswap.risk(arrow_table, suda=True, **asked).to_dict() != plain.to_dict()
    assert marginswap.risk(arrow_table, key_sets=1, **asked).to_dict() != plain.to_dict()


def test_an_answer_with_a_verdict_is_true_where_it_may_be_released(arrow_table, tmp_path):
    """`assert verify(…)` is an assertion about the table."""
    from marginswap import _results

    release = marginswap.protect(arrow_table, **ASKED)
    for verdict in ("release", "review", "do_not_release"):
        fields = {**release.to_dict(), "verdict": verdict}
        made = _results.again(marginswap.Verification, {"_fields": fields})
        assert bool(made) is (verdict == "release")
    column = release.data.column("sex").to_pylist()
    column[0] = "f" if column[0] == "m" else "m"
    broken = release.data.set_column(1, "sex", [column])
    assert not marginswap.verify(arrow_table, broken, shuffled=True, **ASKED)
    assert not marginswap.protect(arrow_table, demo_seed=1, **ASKED)
    # An answer without a verdict is there.
    assert marginswap.inspect(arrow_table)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_answers_and_projects_are_pickled_and_copied(library, tmp_path):
    module = pytest.importorskip(library)
    table = (module.table if library == "pyarrow" else module.DataFrame)(survey())
    release = marginswap.protect(table, demo_seed=1, **ASKED)
    answers = [
        release,
        marginswap.inspect(table),
        marginswap.graph(table, keep=ASKED["keep"]),
        marginswap.screen(table, keep=ASKED["keep"]),
        marginswap.explain(table, record=1, keep=ASKED["keep"]),
        marginswap.risk(table, keys=["age"], population=9000),
        marginswap.verify(table, release.data, shuffled=True, **ASKED),
        marginswap.report(table, release.data, shuffled=True, **ASKED),
        marginswap.frontier(table, budgets=["5%"], seeds=1, demo_seed=1, **ASKED),
    ]
    for answer in answers:
        for same in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
            assert same == answer and type(same) is type(answer)
            assert (str(same), same.notes) == (str(answer), answer.notes)
            assert same._repr_html_() == answer._repr_html_()
    assert pickle.loads(pickle.dumps(release)).data.equals(release.data)
    mine = copy.deepcopy(release)
    assert mine.data.equals(release.data) and mine.plan is release.plan
    if library == "pandas":
        mine.data.loc[:, "sex"] = "x"
        assert not mine.data.equals(release.data)
    with pytest.raises(AttributeError, match="SECRET"):
        pickle.loads(pickle.dumps(release)).plan
    project = marginswap.Project(
        **ASKED, budget="5 %", derive={"x": "band(age, 10)"}, weights={"job": 500}, order="input",
        scenarios={"employer": {"keys": ["age"]}}, roughly={"age": 5}, never_new="sex*job",
    )
    for same in (pickle.loads(pickle.dumps(project)), copy.copy(project), copy.deepcopy(project)):
        assert same == project
    again = marginswap.protect(table, project=pickle.loads(pickle.dumps(project)), demo_seed=4)
    assert again.plan.same_swaps(marginswap.protect(table, project=project, demo_seed=4).plan)


def test_a_plan_in_a_pickle_is_refused_whole(arrow_table):
    plan = marginswap.plan(arrow_table, demo_seed=1, **ASKED)
    assert copy.deepcopy(plan).same_swaps(plan)
    with pytest.raises(TypeError, match="SECRET"):
        pickle.dumps([plan])
