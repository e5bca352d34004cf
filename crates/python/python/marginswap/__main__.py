"""`python -m marginswap` is the program `marginswap` that comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def program() -> Path | None:
    """The program, where the package was installed."""
    name = "marginswap" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    scheme = sysconfig.get_preferred_scheme("user")
    folders.append(sysconfig.get_path("scripts", scheme))
    # Installed into a folder of its own (`pip install --target`).
    folders.append(str(Path(__file__).parent.parent / "bin"))
    found = (Path(folder) / name for folder in folders if folder)
    return next((path for path in found if path.is_file()), None)


def main() -> int:
    path = program()
    if path is None:
        print("the program `marginswap` is not beside this Python; install the wheel again", file=sys.stderr)
        return 8
    command = [os.fspath(path), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
