"""The pages about Python do what they say."""

import csv
import os
import pathlib
import re

import pytest

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


@pytest.mark.filterwarnings("ignore::marginswap.Note")
def test_the_page_about_engines_runs(workplace, capsys):
    pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    columns = survey(2000)
    columns["income"] = [number / 2 for number in range(2000)]
    parquet.write_table(pa.table(columns), workplace / "survey.parquet")
    code = blocks("engines.md")
    assert len(code) == 2
    names: dict = {}
    for block in code:
        exec(compile(block, "docs/engines.md", "exec"), names)
    assert "all unchanged" in capsys.readouterr().out
    assert (workplace / "released.parquet").exists()
