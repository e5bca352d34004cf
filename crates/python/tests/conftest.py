"""What several tests use: an invented survey, as plain rows."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import marginswap

ASKED = {"keys": ["region", "age", "job", "owner"], "keep": ["region*sex", "sex*age"]}


def survey(records: int = 600) -> dict[str, list]:
    """Columns of texts, numbers, truth values and gaps, the same in every run."""
    state, columns = 7, {name: [] for name in ("region", "sex", "age", "job", "owner")}

    def draw(levels: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % levels

    for _ in range(records):
        columns["region"].append(["north", "east", "South", "south", "", "west"][draw(6)])
        columns["sex"].append(["f", "m"][draw(2)])
        columns["age"].append(10 * draw(9))
        columns["job"].append([None, "a", "b", "c", "d"][draw(5)])
        columns["owner"].append([True, False][draw(2)])
    return columns


@pytest.fixture
def columns() -> dict[str, list]:
    return survey()


@pytest.fixture
def arrow_table(columns):
    arrow = pytest.importorskip("pyarrow")
    return arrow.table(columns)


@pytest.fixture
def program():
    """Runs the program of the wheel."""
    path = shutil.which("marginswap")
    assert path is not None, "the wheel puts the program on the PATH"

    def run(*arguments: object, check: bool = True) -> subprocess.CompletedProcess:
        command = [path, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if check:
            assert done.returncode in (0, 1), done.stderr
        return done

    return run


@pytest.fixture(autouse=True)
def names_in_examples(doctest_namespace):
    doctest_namespace["marginswap"] = marginswap


def counted(rows, names):
    """How often each combination of some columns occurs."""
    table: dict[tuple, int] = {}
    for row in zip(*(rows[name] for name in names)):
        table[row] = table.get(row, 0) + 1
    return table


def in_order(rows):
    """Are rows sorted by all their columns, with missing values before or behind all others?"""

    def sorted_with(place_of_missing):
        keys = [
            [(place_of_missing, 0) if value is None else (1, value) for value in row.values()]
            for row in rows
        ]
        return keys == sorted(keys)

    return sorted_with(0) or sorted_with(2)


def is_spread(table, files):
    """Are the changed records of some files, in their order, spread over files and deciles like all
    records: nowhere five standard deviations from what chance gives? Rows are known by `person`."""
    before = {row["person"]: row for row in table.to_pylist()}
    parts = []
    for rows in files:
        size = -(-len(rows) // 10)
        parts += [rows, *(rows[at : at + size] for at in range(0, len(rows), size))]
    changed = [[row != before[row["person"]] for row in part] for part in parts]
    share = sum(map(sum, changed)) / sum(map(len, changed))
    expected = [(share * len(part), part) for part in changed]
    return all(abs(sum(part) - most) < 5 * (most * (1 - share)) ** 0.5 + 1 for most, part in expected)
