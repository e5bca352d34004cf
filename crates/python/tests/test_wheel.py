"""The wheel as a user meets it: a package, its stubs, and the program."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
from importlib import metadata, resources

import pytest

import marginswap

PACKAGE = pathlib.Path(__file__).parents[1]


def test_the_program_and_the_package_are_one_version(program):
    by_path = program("--version").stdout.split()[-1]
    module = [sys.executable, "-m", "marginswap", "--version"]
    by_module = subprocess.run(module, capture_output=True, text=True, check=True).stdout.split()[-1]
    assert by_path == by_module == marginswap.__version__ == metadata.version("marginswap")


def test_nothing_is_required():
    required = metadata.requires("marginswap") or []
    assert all("extra ==" in line for line in required)


def test_the_package_is_typed():
    files = resources.files("marginswap")
    assert files.joinpath("py.typed").is_file()
    assert files.joinpath("__init__.pyi").is_file()
    assert "engine" in files.joinpath("__init__.pyi").read_text()


def test_the_exit_code_of_the_program_comes_through(tmp_path):
    command = [sys.executable, "-m", "marginswap", "inspect", str(tmp_path / "none.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "E201" in done.stderr


def test_extras_name_what_each_engine_needs():
    extras = set(metadata.metadata("marginswap").get_all("Provides-Extra"))
    assert extras == {"pandas", "polars", "duckdb", "spark", "datafusion", "adbc", "all"}
    every = [line for line in metadata.requires("marginswap") if "'all'" in line or '"all"' in line]
    assert len(every) == 1 and all(extra in every[0] for extra in extras)


def test_the_source_archive_is_the_project(tmp_path):
    """What is unpacked has every crate that either manifest names, and every file that one includes;
    an archive made of it is the same. It is not built here: that is a build from nothing."""
    pytest.importorskip("maturin")
    first = unpacked(PACKAGE, tmp_path / "first")
    again = unpacked(first / "crates" / "python", tmp_path / "again")
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    left_out = {"bench-runs", "fuzz", "r", "target"}
    assert not left_out & {path.parts[0] for path in files}
    assert not any("data" in path.parts and "python" in path.parts for path in files)
    for manifest in (first / "Cargo.toml", first / "crates" / "python" / "Cargo.toml"):
        asked = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
        told = subprocess.run([*asked, "--manifest-path", manifest], capture_output=True, check=True)
        for package in json.loads(told.stdout)["packages"]:
            for target in package["targets"]:
                assert pathlib.Path(target["src_path"]).is_relative_to(first)
                assert pathlib.Path(target["src_path"]).is_file()
    included = re.compile(r'include_(?:str|bytes)!\(\s*"([^"]+)"')
    sources = [path for folder in ("src", "crates") for path in (first / folder).rglob("*.rs")]
    named = [(source.parent / name) for source in sources for name in included.findall(source.read_text())]
    assert named and all(path.is_file() for path in named)


def unpacked(package: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The source archive of a package, unpacked."""
    folder.mkdir()
    code = "import sys, marginswap_build; print(marginswap_build.build_sdist(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", code, folder],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package / "backend"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    archive = folder / made.stdout.splitlines()[-1]
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    archive.unlink()
    return next(folder.iterdir())
