"""The pages about Python do what they say."""

import ast
import csv
import importlib.util
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import pytest

import marginswap
from conftest import survey

DOCS = pathlib.Path(__file__).parents[3] / "docs"

PROJECT = """
[columns]
ignore = ["owner"]
[keep]
tables = ["region*sex", "sex*age"]
[risk]
keys = ["region", "age", "job"]
"""


def blocks(page: str) -> list[str]:
    text = (DOCS / page).read_text()
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.fixture
def workplace(tmp_path):
    """A folder with a survey and a project."""
    columns = survey(2000)
    columns["job"] = [job or "none" for job in columns["job"]]
    with open(tmp_path / "survey.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    (tmp_path / "marginswap.toml").write_text(PROJECT)
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def test_the_first_lines_run_as_they_stand(tmp_path):
    """In an empty folder, without any other library."""
    code = blocks("python.md")[0] + (
        "import sys\n"
        "assert not {'pandas', 'pyarrow', 'polars', 'numpy'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "release\n"
    assert (tmp_path / "released.csv").exists()


@pytest.mark.filterwarnings("ignore::marginswap.Note")
def test_the_page_about_python_runs(workplace, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    code = blocks("python.md")
    assert len(code) >= 4
    names: dict = {}
    for block in code:
        exec(compile(block, "docs/python.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "E105 `keys=`" in shown and "Verdict" in shown
    assert (workplace / "released.csv").exists() and (workplace / "swap.plan").exists()
    assert names["release"].equal


def installed(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def database(path, columns):
    """The survey in a database of SQLite."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (person INTEGER, region, sex, age, job, owner, income)")
        rows = zip(range(2000), *columns.values())
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


@pytest.mark.filterwarnings("ignore::marginswap.Note")
def test_the_page_about_engines_runs(workplace, capsys):
    pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    columns = survey(2000)
    columns["income"] = [number / 2 for number in range(2000)]
    parquet.write_table(pa.table(columns), workplace / "survey.parquet")
    code = blocks("engines.md")
    assert len(code) == 7
    names: dict = {}
    for block in code:
        if 'format("delta")' in block:
            # It needs Delta; test_engine_jobs.py and test_spark.py have writers of their own.
            compile(block, "docs/engines.md", "exec")
            continue
        library = re.search(r"import (datafusion|adbc_driver_sqlite)", block)
        if library and not installed(library[1]):
            print(f"not installed, so not run: {library[1]}")
            continue
        if library and library[1] == "adbc_driver_sqlite":
            database(workplace / "people.db", columns)
        exec(compile(block, "docs/engines.md", "exec"), names)
        assert names["release"].equal
    shown = capsys.readouterr().out
    assert "all unchanged" in shown and "Verdict" in shown
    assert (workplace / "released.parquet").exists() and (workplace / "released.csv").exists()


@pytest.mark.filterwarnings("ignore::marginswap.Note")
def test_the_tutorial_runs(workplace, capsys):
    """Every cell of the notebook, in order; what its last line gives can be shown."""
    for library in ("pandas", "pyarrow", "duckdb"):
        pytest.importorskip(library)
    notebook = json.loads((DOCS / "tutorial.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 12 and all(cell["outputs"] == [] for cell in cells)
    names: dict = {}
    pictures = 0
    for cell in cells:
        parsed = ast.parse("".join(cell["source"]))
        *body, last = parsed.body
        exec(compile(ast.Module(body, []), "tutorial", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), "tutorial", "eval"), names)
            if isinstance(shown, marginswap.Answer):
                assert shown._repr_html_().startswith("<p")
                pictures += "<svg" in shown._repr_html_()
        else:
            exec(compile(ast.Module([last], []), "tutorial", "exec"), names)
    assert pictures >= 3 and names["written"].equal and names["check"].equal
    assert "do_not_release" in capsys.readouterr().out
