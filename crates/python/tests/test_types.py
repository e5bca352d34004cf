"""What tools know of the package: stubs that mypy and pyright check, and that answers keep."""

import ast
import pathlib
import re
import subprocess
import sys
import types
import typing

import pytest

import marginswap
import stubs
from conftest import ASKED, survey

HERE = pathlib.Path(__file__).parent
CHECKERS = {
    "mypy": ["-m", "mypy", "--strict", "--enable-error-code", "comparison-overlap", "--no-incremental"],
    "pyright": ["-m", "pyright", "--pythonpath", sys.executable],
}


def checked(checker, path, tmp_path):
    """The lines of a file that a checker finds wrong, and its words."""
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    for library in ("polars", "duckdb", "typing_extensions"):
        pytest.importorskip(library)
    copy = tmp_path / path.name
    strict = "# pyright: strict, reportUnusedExpression=false\n" if checker == "pyright" else "\n"
    copy.write_text(strict + path.read_text())
    command = [sys.executable, *CHECKERS[checker], str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1):
        pytest.skip(f"{checker} cannot run here: {said.strip().splitlines()[-1]}")
    places = re.findall(rf"{re.escape(path.name)}:(\d+):.*error", said)
    return {int(place) - 1 for place in places}, said


@pytest.mark.parametrize("checker", CHECKERS)
def test_examples_have_the_types_they_say(checker, tmp_path):
    lines, said = checked(checker, HERE / "typed.py", tmp_path)
    assert lines == set() and ("Success" in said or "0 errors" in said), said


@pytest.mark.parametrize("checker", CHECKERS)
def test_mistakes_are_found(checker, tmp_path):
    lines, said = checked(checker, HERE / "typed_wrong.py", tmp_path)
    text = (HERE / "typed_wrong.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(text, 1) if line.endswith("# wrong")}
    assert lines == wrong and len(wrong) == 10, said


def test_words_of_settings_are_all_words():
    """Every word is taken, and what names all of them names no other."""
    for argument, words in stubs.WORDS.items():
        for word in words:
            assert marginswap.Project(**{argument: word}).to_dict()
        with pytest.raises(marginswap.Refusal) as refused:
            marginswap.Project(**{argument: "nonsense"})
        said = set(re.findall(r"[a-z-]+", refused.value.remedy.split("(")[0])) - {"write", "or", "only"}
        assert said <= {word for word in words}, (argument, refused.value.remedy)


class Declared:
    """The classes of the stubs, and whether a value is what they say."""

    def __init__(self):
        tree = ast.parse((pathlib.Path(marginswap.__file__).parent / "__init__.pyi").read_text())
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.dicts = {
            node.targets[0].id: {
                key.value: value for key, value in zip(node.value.args[1].keys, node.value.args[1].values)
            }
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(getattr(node.value, "func", None), "id", "") == "TypedDict"
        }

    def fields(self, name):
        if name in self.dicts:
            return self.dicts[name]
        body = self.classes[name].body
        return {one.target.id: one.annotation for one in body if isinstance(one, ast.AnnAssign)}

    def fits(self, value, kind, place):
        """Raises where the value is not of the kind."""
        match kind:
            case ast.BinOp():
                try:
                    return self.fits(value, kind.left, place)
                except AssertionError:
                    return self.fits(value, kind.right, place)
            case ast.Constant(value=None):
                assert value is None, place
            case ast.Name(id="Any"):
                pass
            case ast.Name(id="int"):
                assert type(value) is int, place
            case ast.Name(id="float"):
                assert type(value) in (int, float), place
            case ast.Name(id="str" | "bool") as name:
                assert type(value).__name__ == name.id, place
            case ast.Name() as name:
                assert isinstance(value, dict), place
                self.object(value, name.id, place)
            case ast.Subscript(value=ast.Name(id="NotRequired")):
                self.fits(value, kind.slice, place)
            case ast.Subscript(value=ast.Name(id="list")):
                assert isinstance(value, list), place
                for item in value:
                    self.fits(item, kind.slice, place)
            case ast.Subscript(value=ast.Name(id="dict")):
                assert isinstance(value, dict), place
                for item in value.values():
                    self.fits(item, kind.slice.elts[1], place)
            case ast.Subscript(value=ast.Name(id="Literal")):
                assert value in [one.value for one in kind.slice.elts], place
            case _:
                raise AssertionError(f"{place}: {ast.dump(kind)}")
        return None

    def object(self, value, name, place):
        own = self.fields(name)
        for field, item in value.items():
            assert field in own, f"{place}.{field} is not declared"
            self.fits(item, own[field], f"{place}.{field}")
        free = [field for field, kind in own.items() if "NotRequired" in ast.dump(kind)]
        missing = set(own) - set(value) - set(free)
        assert not missing, f"{place} has no {sorted(missing)}"

    def answer(self, answer):
        own = self.fields(type(answer).__name__)
        for field, value in answer.to_dict().items():
            if field == "class":
                continue
            assert field in own, f"{type(answer).__name__}.{field} is not declared"
            self.fits(value, own[field], f"{type(answer).__name__}.{field}")


@pytest.mark.filterwarnings("ignore::marginswap.Note")
def test_answers_are_what_the_stubs_say(arrow_table, tmp_path):
    """Every field of answers of every function, under many settings."""
    declared, rich = Declared(), {
        **ASKED, "demo_seed": 3, "max_records": 4, "derive": {"old": "band(age, 40)"},
        "more_keys": [["sex", "region"]], "crowd": 3, "sensitive": ["job"], "budget": "20 %",
        "never_new": "sex*job", "rule": ["age = 0 & job = a"],
    }
    rich["keys"] = ["region", "age", "owner"]
    pa = pytest.importorskip("pyarrow")
    town = marginswap.demo(tmp_path / "town", records=900)
    homes = marginswap.demo(tmp_path / "homes", records=900, households=True)
    tables = [town.replace("survey.csv", "marginswap.toml"), homes.replace("survey.csv", "marginswap.toml")]
    keep = {"keep": ASKED["keep"]}
    answers = [
        marginswap.inspect(arrow_table),
        marginswap.inspect(homes, household="household"),
        marginswap.graph(**keep),
        marginswap.graph(arrow_table, keep=["region*sex", "sex*age", "age*region"], stay=["job"]),
        marginswap.screen(arrow_table, **ASKED),
        marginswap.screen(arrow_table, **{name: rich[name] for name in ("keys", "keep", "more_keys", "rule")}),
        marginswap.explain("codes"),
        marginswap.explain("E203"),
        marginswap.explain(arrow_table, pair=(1, 2), **keep),
        *(marginswap.explain(arrow_table, record=one, partners="all", **ASKED) for one in range(1, 40)),
        *(marginswap.explain(arrow_table, record=one, keep=["region*sex*age*job"], max_records=4) for one in (1, 5)),
        marginswap.risk(arrow_table, keys=ASKED["keys"], population=9000, suda=True, model="auto"),
        marginswap.risk(arrow_table, keys=ASKED["keys"], fraction=0.05, select="fit"),
    ]
    for given in ({**ASKED, "demo_seed": 3}, rich):
        release = marginswap.protect(arrow_table, **given)
        plain = {name: given[name] for name in ("keys", "keep")}
        answers += [
            release,
            marginswap.plan(arrow_table, **given),
            marginswap.apply(arrow_table, release.plan),
            marginswap.verify(arrow_table, release.data, shuffled=True, three_way=True, reveal=True, **plain),
            marginswap.verify(arrow_table, arrow_table, **plain),
            marginswap.report(arrow_table, release.data, shuffled=True, demo_seed=3, plan=release.plan),
            marginswap.report(arrow_table, release.data, shuffled=True, reveal=True, **plain),
            marginswap.frontier(arrow_table, budgets=["5%"], seeds=1, **{**ASKED, "demo_seed": 3}),
        ]
    public = marginswap.protect(arrow_table, **ASKED)
    answers.append(marginswap.report(arrow_table, public.data, shuffled=True, external=True, **ASKED))
    for place, project in enumerate(tables):
        answers.append(marginswap.protect(project=project, out=tmp_path / f"{place}.csv", demo_seed=1))
        answers.append(marginswap.plan(project=project, demo_seed=1))
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", pa.table({**survey(), "person": list(range(600))}))
    relation = connection.sql("SELECT * FROM given")
    answers.append(marginswap.protect(relation, id="person", demo_seed=1, **ASKED))
    wrong = []
    for answer in answers:
        try:
            declared.answer(answer)
        except AssertionError as error:
            wrong.append(str(error).split("\n")[0])
    assert wrong == [], "\n".join(sorted(set(wrong)))
    assert {type(answer).__name__ for answer in answers} >= set(stubs.CLASSES) - {"Answer"}


def test_a_type_of_a_release_can_be_written_at_run_time():
    for kind in (marginswap.Release, marginswap.EngineRelease):
        assert isinstance(kind[int], types.GenericAlias)
        assert typing.get_args(kind[int]) == (int,)
