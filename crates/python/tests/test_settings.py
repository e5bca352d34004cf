"""Arguments come from the one table of settings: signatures, stubs, help."""

import inspect
import os
import pathlib

import pytest

import marginswap
import stubs
from conftest import ASKED, survey
from marginswap import _marginswap

FUNCTIONS = [
    "inspect", "graph", "screen", "explain", "risk", "plan", "protect", "apply", "verify",
    "report", "frontier",
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_the_table(name):
    signature = inspect.signature(getattr(marginswap, name))
    for row in _marginswap.settings():
        if name in row["functions"]:
            assert row["argument"] in signature.parameters, row["argument"]
            assert signature.parameters[row["argument"]].kind is inspect.Parameter.KEYWORD_ONLY
    help_text = inspect.getdoc(getattr(marginswap, name))
    assert "Settings:" in help_text


def test_arguments_are_called_like_flags(program):
    for name in FUNCTIONS:
        flags = program(name, "--help").stdout
        for row in _marginswap.settings():
            if name in row["functions"] and f"--{row['argument'].replace('_', '-')}" not in flags:
                # Settings without a flag are those of project files.
                assert row["kind"].endswith("by name"), (name, row["argument"])


def test_stubs_are_true():
    """`MARGINSWAP_BLESS=1` writes them anew."""
    made = stubs.made()
    source = pathlib.Path(__file__).parent.parent / "python" / "marginswap" / "__init__.pyi"
    if os.environ.get("MARGINSWAP_BLESS"):
        source.write_text(made)
    assert source.read_text() == made, "run with MARGINSWAP_BLESS=1"
    installed = pathlib.Path(marginswap.__file__).with_name("__init__.pyi")
    assert installed.read_text() == made or os.environ.get("MARGINSWAP_BLESS")


def test_stubs_of_the_native_part_are_true():
    import ast

    source = pathlib.Path(marginswap.__file__).with_name("_marginswap.pyi").read_text()
    tree = ast.parse(source)
    told = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(_marginswap) if not name.startswith("_")}
    assert told == there
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            given = list(inspect.signature(getattr(_marginswap, node.name)).parameters)
            assert [argument.arg for argument in node.args.args] == given, node.name
        if isinstance(node, ast.ClassDef):
            for method in ast.walk(node):
                if isinstance(method, ast.FunctionDef):
                    assert hasattr(getattr(_marginswap, node.name), method.name)


def test_every_example_runs():
    import doctest

    ran = 0
    for name in marginswap.__all__:
        found = doctest.DocTestFinder(recurse=False).find(
            getattr(marginswap, name), name, globs={"marginswap": marginswap}
        )
        for example in found:
            if not example.examples:
                continue
            runner = doctest.DocTestRunner()
            runner.run(example)
            assert runner.failures == 0, name
            ran += 1
    missing = [name for name in FUNCTIONS if ">>>" not in (getattr(marginswap, name).__doc__ or "")]
    assert not missing and ran >= len(FUNCTIONS)


def test_every_kind_of_value_is_taken(arrow_table, tmp_path):
    """A list, a text as typed, a number, a path, a table by name."""
    asked = {"keys": "region,age,job,owner", "keep": "region*sex + sex*age", "demo_seed": 9}
    typed = marginswap.protect(arrow_table, **asked)
    listed = marginswap.protect(
        arrow_table, keys=("region", "age", "job", "owner"), keep=["region*sex", "sex*age"], demo_seed=9
    )
    assert typed.data.equals(listed.data)
    named = marginswap.protect(
        arrow_table,
        keys=["region", "age", "job", "owner"],
        named={"first": "region*sex", "second": "sex*age"},
        demo_seed=9,
    )
    assert named.data.equals(listed.data)
    few = marginswap.plan(arrow_table, budget="2 %", **asked)
    assert few.records_changed <= 12
    assert marginswap.plan(arrow_table, budget=4, **asked).records_changed <= 4
    weighed = marginswap.plan(arrow_table, weights={"job": 500}, **asked)
    assert not weighed.same_swaps(marginswap.plan(arrow_table, **asked))
    strict = marginswap.plan(arrow_table, match=[["sex", "job"]], **asked)
    assert not strict.same_swaps(marginswap.plan(arrow_table, **asked))
    intruders = marginswap.plan(
        arrow_table, keep=asked["keep"], scenarios={"employer": {"keys": ["region", "age", "job", "owner"]}}, demo_seed=9
    )
    assert "employer" in str(intruders.to_dict())


def test_settings_that_can_be_read_once_are_kept():
    pa = pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", pa.table({**survey(), "person": list(range(600))}))
    relation = connection.sql("SELECT * FROM given")
    asked = {"keep": ASKED["keep"], "id": "person", "demo_seed": 1}
    by_list = marginswap.protect(relation, keys=ASKED["keys"], **asked)
    once = marginswap.protect(relation, keys=(key for key in ASKED["keys"]), **asked)
    assert by_list.to_dict() == once.to_dict()


def test_anything_that_gives_names_is_a_list_of_columns(arrow_table):
    """A table may be given by its variables too; a set, which has no order, gives one answer."""
    pd = pytest.importorskip("pandas")
    np = pytest.importorskip("numpy")
    expected = marginswap.protect(arrow_table, demo_seed=9, **ASKED)
    names = ASKED["keys"]
    for keys in (tuple(names), np.array(names), pd.Index(names), iter(names)):
        found = marginswap.protect(arrow_table, keys=keys, keep=ASKED["keep"], demo_seed=9)
        assert found.data.equals(expected.data), type(keys)
    for keep in ([("region", "sex"), ["sex", "age"]], [("region", "sex"), "sex*age"]):
        found = marginswap.protect(arrow_table, keys=names, keep=keep, demo_seed=9)
        assert found.data.equals(expected.data), keep
    project = marginswap.Project(keep=[("a*b", "c`d")], named={"t": ("x", "y")})
    assert project.to_dict()["keep"] == {"tables": ["`a*b`*`c``d`"], "named": {"t": "x*y"}}
    assert marginswap.Project(keys={"b", "a", "c"}).to_dict()["risk"]["keys"] == ["a", "b", "c"]


def test_numbers_of_other_libraries_are_numbers(arrow_table):
    np = pytest.importorskip("numpy")
    expected = marginswap.plan(arrow_table, budget=4, demo_seed=9, **ASKED)
    assert marginswap.plan(arrow_table, budget=np.int64(4), demo_seed=9, **ASKED) == expected
    share = marginswap.risk(arrow_table, keys=["age"], fraction="0.05")
    for fraction in (0.05, np.float64(0.05)):
        assert marginswap.risk(arrow_table, keys=["age"], fraction=fraction) == share


def test_what_is_no_setting_is_refused(arrow_table):
    for keys in (object(), b"age", [b"age"], {"age": object()}):
        with pytest.raises(marginswap.Refusal) as refused:
            marginswap.plan(arrow_table, keys=keys, keep=["region"])
        assert refused.value.place == "`keys=`" and refused.value.code == "E403"
