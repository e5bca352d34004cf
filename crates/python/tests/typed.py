"""Examples whose types mypy and pyright find by themselves, both strict: `test_types.py`."""

from typing import TYPE_CHECKING, Any, Literal

import marginswap
from typing_extensions import assert_type

if TYPE_CHECKING:
    import duckdb
    import polars as pl


def kinds_of_tables(frame: "pl.DataFrame", relation: "duckdb.DuckDBPyRelation") -> None:
    release = marginswap.protect(frame, keys=["age"], keep=[("sex", "age")], order="input")
    assert_type(release, "marginswap.Release[pl.DataFrame]")
    assert_type(release.data, "pl.DataFrame")
    print(release.data.height, release.plan.records_changed + 1)
    assert_type(marginswap.apply(frame, release.plan).data, "pl.DataFrame")
    held = marginswap.protect(relation, id="person", keys="age", demo_seed=7)
    assert_type(held.table, "duckdb.DuckDBPyRelation")
    assert_type(held.not_known, list[str])
    assert_type(held.write("released.parquet", partition_by=["sex"]).equal, bool)


def files() -> None:
    survey = marginswap.demo("town", records=100)
    release = marginswap.protect(survey, keys=["age"], out="released.csv", force=True)
    assert_type(release, marginswap.Release[None])
    assert_type(release.path, str | None)
    engine = marginswap.protect("survey.parquet", engine="duckdb", keys=["age"])
    assert_type(engine, marginswap.EngineRelease[Any])


def answers(frame: "pl.DataFrame") -> None:
    found = marginswap.inspect(frame, threads=2, progress=lambda step, done, of: print(step, done, of))
    assert_type(found.records, int)
    for column in found.columns:
        assert_type(column["levels"], int)
        assert_type(column.get("name"), str | None)
    checked = marginswap.verify(frame, frame, keys={"age"}, keep="sex*age")
    assert_type(checked.verdict, Literal["release", "review", "do_not_release"])
    assert_type(checked.margins[0]["margin"], list[str])
    assert_type(checked.two_way_max, float | None)
    if checked:
        print(checked.to_dict(), checked.notes)
    graph = marginswap.graph(keep=["region*sex", "sex*age"])
    assert_type(graph.decomposable, bool)
    best = marginswap.frontier(frame, budgets=["5%", 10], seeds=2, project="marginswap.toml")
    if best.plan is not None:
        best.plan.save("best.plan")
    page = marginswap.report(frame, frame, plan=best.plan, external=True)
    assert_type(page.html, str)


def settings(names: "pl.Series") -> None:
    project = marginswap.Project(
        keys=(name for name in ("age", "sex")),
        keep=[("sex", "age"), "region"],
        pairing="optimal",
        derive={"old": "band(age, 40)"},
        scenarios={"employer": {"keys": ["age"]}},
        near=["county"],
        linked=[("age", "old")],
        budget="5 %",
        data="survey.csv",
    )
    print(marginswap.risk(project=project, fraction=0.05).sample_uniques)
    try:
        marginswap.plan(project=project, keys=list(names))
    except marginswap.Refusal as refusal:
        print(refusal.code, refusal.place, refusal.exit_code)
