"""Progress, Ctrl-C, and other threads while a job runs."""

import logging
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import warnings

import pytest

import marginswap
from conftest import ASKED, survey

# A job of a few seconds: many keys, groups of up to eight records.
LONG = """
    import marginswap, sys
    sys.path.insert(0, {tests!r})
    from conftest import survey
    import pyarrow as pa
    columns = survey(60000)
    for number in range(5):
        columns[f"x{{number}}"] = [hash((number, place * 7919 % 104729)) % 7 for place in range(60000)]
    table = pa.table(columns)
    keep = ["region*sex*age", "age*job*x0", "x0*x1*x2", "x2*x3*x4", "x4*owner*region"]
"""


def test_progress_tells_every_step(arrow_table):
    seen = []
    marginswap.protect(arrow_table, demo_seed=1, progress=lambda *step: seen.append(step), **ASKED)
    names = [name for name, _, _ in seen]
    assert names[0] == "reading" and "planning" in names and names[-1] == "comparing"
    assert all(done < of for _, done, of in seen)


def test_progress_with_a_bar(arrow_table):
    pytest.importorskip("tqdm")
    marginswap.plan(arrow_table, demo_seed=1, progress=True, **ASKED)


def test_a_callback_that_raises_ends_the_job(arrow_table):
    def stop(step, done, of):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        marginswap.plan(arrow_table, progress=stop, **ASKED)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_stops_a_job_at_once(tmp_path):
    pytest.importorskip("pyarrow")
    script = textwrap.dedent(LONG.format(tests=str(pathlib.Path(__file__).parent))) + textwrap.dedent(
        """
        def told(step, done, of):
            if step == "planning":
                print("planning", flush=True)
        try:
            marginswap.protect(
                table, keys=["region", "sex", "age", "x0", "x3"], keep=keep, max_records=8,
                progress=told, plan=sys.argv[1], demo_seed=1,
            )
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    plan = tmp_path / "swap.plan"
    command = [sys.executable, "-c", script, str(plan)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "planning"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline().strip() == "interrupted"
    process.wait()
    assert not plan.exists() and list(tmp_path.iterdir()) == []


def loud(tmp_path):
    """A file on which every job has something to note: a column that names everybody."""
    columns = survey()
    lines = ["person,region,sex,age"] + [
        f"p{place},{region},{sex},{age}"
        for place, (region, sex, age) in enumerate(zip(columns["region"], columns["sex"], columns["age"]))
    ]
    (tmp_path / "loud.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "loud.csv", {"keys": ["region", "age"], "keep": ["region*sex"], "ignore": ["person"]}


def test_warnings_that_are_errors_lose_no_answer(tmp_path):
    """The file is there, and so is its answer; what was noted is shown."""
    data, asked = loud(tmp_path)
    with pytest.warns(marginswap.Note, match="person"):
        marginswap.protect(data, out=tmp_path / "first.csv", demo_seed=1, **asked)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("error")
        release = marginswap.protect(data, out=tmp_path / "second.csv", demo_seed=1, **asked)
    assert release.equal and any("person" in note for note in release.notes)
    assert (tmp_path / "second.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()
    assert any("person" in str(one.message) for one in shown)
    assert {pathlib.Path(one.filename).name for one in shown} == {"test_running.py"}


def test_steps_and_notes_are_in_the_log(tmp_path, caplog):
    data, asked = loud(tmp_path)
    seen = []
    with caplog.at_level(logging.INFO, logger="marginswap"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        marginswap.protect(
            data, out=tmp_path / "out.csv", demo_seed=1, progress=lambda *step: seen.append(step), **asked
        )
    assert {record.name for record in caplog.records} == {"marginswap"}
    steps = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    notes = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(steps) == len(seen) and any(step.startswith("protect: planning, step") for step in steps)
    assert any("`person`" in note for note in notes)
    assert not any("p599" in text or "South" in text for text in [*steps, *notes])
    caplog.clear()
    marginswap.inspect(data, ignore=["person"])
    assert [record for record in caplog.records if record.levelno < logging.WARNING] == []


def test_other_threads_run_while_a_job_does(arrow_table):
    """Without the GIL the counting thread gets on while a job of many steps waits."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table(survey(20000))
    counted, done = [0], threading.Event()

    def count():
        while not done.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    try:
        # Nobody is asked to give the GIL up: others run only when it is released.
        sys.setswitchinterval(1000)
        thread.start()
        before = counted[0]
        marginswap.plan(table, demo_seed=1, max_records=4, **ASKED)
        after = counted[0]
    finally:
        done.set()
        sys.setswitchinterval(interval)
    thread.join()
    assert after > before


def test_jobs_of_several_threads_do_not_meet(arrow_table):
    answers = {}

    def work(seed):
        answers[seed] = marginswap.protect(arrow_table, demo_seed=seed, **ASKED).data

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 3, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, data in answers.items():
        assert marginswap.protect(arrow_table, demo_seed=seed, **ASKED).data.equals(data)
