"""Builds the package with the program in it: maturin, and what maturin does not do.

maturin puts what lies in `data/scripts` into the wheel, but does not build it. Its source archive
would hold the crates that the package depends on, and not the program; ours is the project as it is,
without the figures of single runs, with `pyproject.toml` and `PKG-INFO` at its top.

`MATURIN_PEP517_ARGS="--profile dev"` builds both with the dev profile.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import maturin
from maturin import get_requires_for_build_sdist, get_requires_for_build_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

#: The package, and the project that it is part of.
PACKAGE = Path(__file__).parents[1]
PROJECT = PACKAGE.parents[1]

#: What nobody needs who builds or tests the package.
LEFT_OUT = ("bench-runs/", "fuzz/", "r/", "target/", "crates/python/data/", "crates/python/target/")

#: Where maturin takes programs from; it asks for the folder before there is one.
SCRIPTS = PACKAGE / "data" / "scripts"

get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(directory: str, settings: Any = None) -> str:
    """What pip asks first."""
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(directory, settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """The wheel: the package and the program."""
    build_program()
    return maturin.build_wheel(directory, settings, metadata)


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """The package where it is, and the program."""
    build_program()
    return maturin.build_editable(directory, settings, metadata)


def build_program() -> None:
    """Puts the program where maturin takes it from."""
    words = os.environ.get("MATURIN_PEP517_ARGS", "--release").split()
    profile = ["--profile", "dev"] if "dev" in words else ["--release"]
    target = Path(os.environ.get("CARGO_TARGET_DIR", PROJECT / "target"))
    subprocess.run(["cargo", "build", "--locked", *profile], cwd=PROJECT, check=True)
    name = "marginswap.exe" if sys.platform == "win32" else "marginswap"
    built = target / ("debug" if "dev" in words else "release") / name
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    # What only a debugger reads would make the wheel a hundred megabytes larger.
    if not shutil.which("strip") or subprocess.run(["strip", "-o", SCRIPTS / name, built]).returncode:
        shutil.copy(built, SCRIPTS / name)


def build_sdist(directory: str, settings: Any = None) -> str:
    """The source archive: the project, to be built like a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder, prepare_metadata_for_build_wheel(folder, settings), "METADATA")
        described = metadata.read_text()
        fields = dict(line.split(": ", 1) for line in described.split("\n\n")[0].splitlines())
        top = f"marginswap-{fields['Version']}"
        pyproject = PACKAGE.joinpath("pyproject.toml").read_text()
        if PACKAGE != PROJECT / "crates" / "python":
            raise SystemExit("the source archive is built from a checkout or from an unpacked one")
        inner = {
            'backend-path = ["': 'backend-path = ["crates/python/',
            'manifest-path = "': 'manifest-path = "crates/python/',
            'python-source = "': 'python-source = "crates/python/',
            'data = "': 'data = "crates/python/',
            'readme = "': 'readme = "crates/python/',
            'testpaths = ["': 'testpaths = ["crates/python/',
        }
        for own, from_the_top in inner.items():
            if own not in pyproject:
                raise SystemExit(f"pyproject.toml has no line with {own}")
            pyproject = pyproject.replace(own, from_the_top)
        Path(folder, "pyproject.toml").write_text(pyproject)
        archive = Path(directory, f"{top}.tar.gz")
        with tarfile.open(archive, "w:gz", format=tarfile.PAX_FORMAT) as tar:
            tar.add(metadata, f"{top}/PKG-INFO")
            tar.add(Path(folder, "pyproject.toml"), f"{top}/pyproject.toml")
            for file in source_files():
                tar.add(PROJECT / file, f"{top}/{file}", recursive=False)
    return archive.name


def source_files() -> list[str]:
    """The files of the project: what git knows in a checkout, everything in an unpacked archive."""
    git = ["git", "-C", str(PROJECT), "ls-files", "-z"]
    if PROJECT.joinpath(".git").exists():
        listed = subprocess.run(git, capture_output=True, check=True, text=True).stdout
        found = [name for name in listed.split("\0") if PROJECT.joinpath(name).is_file()]
    else:
        found = sorted(
            os.fspath(path.relative_to(PROJECT)) for path in PROJECT.rglob("*") if path.is_file()
        )
    own = {"PKG-INFO", "pyproject.toml"}
    return [
        name
        for name in found
        if name not in own and not name.startswith(LEFT_OUT) and "__pycache__" not in name
    ]
