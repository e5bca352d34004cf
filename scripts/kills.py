#!/usr/bin/env python3
"""Kills a large run at random moments and looks at what is on the disk.

usage: scripts/kills.py PROGRAM [KILLS] [RECORDS]

Each run protects an invented town with a new seed, a plan and a report, and is ended by SIGKILL, or
every fourth time by SIGTERM, after a random time; every other run while it writes. Whatever the moment: either no output has its name, or
all outputs that come before the released file are complete, and the released file is there only when it
is complete and keeps every table, which `verify` counts. SIGTERM leaves nothing, or everything.
"""
import os, random, re, signal, subprocess, sys, tempfile, time

program = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 200
records = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
OUTPUTS = ["seed", "out.csv", "swap.plan", "report.html"]
COMMAND = [program, "protect", "--seed-file", "seed", "-o", "out.csv", "--plan", "swap.plan",
           "--report", "report.html", "--force"]

def there(folder):
    return {name for name in os.listdir(folder) if name in OUTPUTS}

def left(folder):
    return [name for name in os.listdir(folder) if name.startswith(".marginswap-")]

def clear(folder):
    for name in list(there(folder)) + left(folder):
        os.remove(os.path.join(folder, name))

def main():
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "demo", folder, "--records", str(records)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ["released.csv", "swap.plan"]:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                os.remove(path)
        quiet = dict(cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.time()
        run = subprocess.Popen(COMMAND, **quiet)
        while run.poll() is None and not left(folder):
            time.sleep(0.002)
        began = time.time()
        calm = run.wait()
        took, writing = time.time() - start, time.time() - began
        assert calm in (0, 1) and there(folder) == set(OUTPUTS), calm
        clear(folder)
        count = {"nothing": 0, "in part": 0, "everything": 0, "ended before": 0}
        temporary = 0
        for number in range(kills):
            run = subprocess.Popen(COMMAND, **quiet)
            if number % 2:
                # Every other one while it writes: the moment counts from the first temporary file.
                while run.poll() is None and not left(folder):
                    time.sleep(0.002)
                time.sleep(chance.uniform(0, writing * 1.2))
            else:
                time.sleep(chance.uniform(0, took * 1.05))
            by = signal.SIGTERM if number % 4 == 3 else signal.SIGKILL
            run.send_signal(by)
            code = run.wait()
            found = there(folder)
            if code in (0, 1):
                # It ended before the signal, or the signal came after the commit point.
                assert found == set(OUTPUTS), (number, code, found)
                count["ended before"] += 1
            elif by == signal.SIGTERM:
                assert code == 130 and not found and not left(folder), (number, code, found, left(folder))
                count["nothing"] += 1
            else:
                temporary += len(left(folder))
                assert "out.csv" not in found or found == set(OUTPUTS), (number, found)
                count["everything" if "out.csv" in found else "in part" if found else "nothing"] += 1
            if "out.csv" in found:
                verify = subprocess.run([program, "verify", "survey.csv", "out.csv", "--project",
                                         "marginswap.toml", "--json"], cwd=folder, capture_output=True, text=True)
                assert verify.returncode in (0, 1) and re.search(r'"equal": true', verify.stdout), number
            # An empty file only finds out what others may do with a new one.
            states = [os.stat(os.path.join(folder, name)) for name in left(folder)]
            mode = [oct(state.st_mode & 0o077) for state in states if state.st_size]
            assert set(mode) <= {"0o0"}, mode
            if left(folder):
                said = subprocess.run([program, "clean", "."], cwd=folder, capture_output=True, text=True)
                assert said.returncode == 1, said.stderr
                done = subprocess.run([program, "clean", ".", "--force"], cwd=folder, capture_output=True)
                assert done.returncode == 0 and not left(folder)
            clear(folder)
        print(f"{kills} runs on {records} records of {took:.1f} s ({writing:.1f} s of them writing), killed at random moments: {count}; "
              f"{temporary} temporary files found and cleaned, none readable by others")

main()
