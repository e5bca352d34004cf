"""The wheel as a user meets it: a package, its stubs, and the program."""

import subprocess
import sys
from importlib import metadata, resources

import marginswap


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
