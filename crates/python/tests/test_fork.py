"""After any call a process can be forked: no thread of ours is left that the child would wait for."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import marginswap
from conftest import ASKED

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

HEAD = f"""
    import os, signal, sys, warnings
    sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
    warnings.simplefilter("ignore")
    import marginswap, pyarrow
    from conftest import ASKED, survey
    table = pyarrow.table(survey())

    def job(seed, **more):
        return marginswap.protect(table, demo_seed=seed, **ASKED, **more)
"""


def run(script):
    """Runs a script in a process of its own, which ends by itself when a child hangs."""
    program = textwrap.dedent(HEAD) + textwrap.dedent(script)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_child_calls_what_its_parent_called():
    said = run(
        """
        expected = job(5)
        marginswap.screen(table, keep=ASKED["keep"])
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            same = job(5) == expected and job(5, threads=2).data.equals(expected.data)
            grandchild = os.fork()
            if grandchild == 0:
                signal.alarm(60)
                os._exit(0 if job(5) == expected else 3)
            done = os.waitpid(grandchild, 0)[1]
            os._exit(0 if same and done == 0 else 4)
        print(os.waitpid(child, 0)[1], job(5) == expected)
        """
    )
    assert said == ["0", "True"]


def test_workers_by_fork_give_what_their_parent_gives():
    """As Celery and joblib do: a call before, a pool of forked workers, answers by pickle."""
    said = run(
        """
        import multiprocessing

        def work(seed):
            signal.alarm(120)
            return job(seed, threads=1)

        expected = [job(seed) for seed in range(4)]
        with multiprocessing.get_context("fork").Pool(2) as workers:
            found = workers.map(work, range(4))
        print(found == expected, all(a.data.equals(b.data) for a, b in zip(found, expected)))
        """
    )
    assert said == ["True", "True"]


def test_no_thread_is_left_after_a_call(tmp_path):
    """Of no function and no kind of table: all cores would be 61 here, and nobody has so many."""
    if not pathlib.Path("/proc/self/task").is_dir():
        pytest.skip("threads are counted in /proc")
    said = run(
        f"""
        os.chdir({str(tmp_path)!r})
        os.environ["RAYON_NUM_THREADS"] = "61"
        from marginswap import _marginswap

        def few(name):
            # The kernel may list a thread for a moment after it has ended.
            for _ in range(100000):
                if len(os.listdir("/proc/self/task")) < 61:
                    return
                os.sched_yield()
            raise SystemExit(f"threads are left after {{name}}")

        release = job(1, plan="swap.plan", report="page.html")
        few("protect")
        survey = marginswap.demo("town", records=300)
        few("demo")
        marginswap.protect(
            survey, id="person", keys=["region", "age"], keep=["sex*age"], out="out.csv",
            external_report="public.html",
        )
        few("protect on a file")
        plan = marginswap.Plan.load("swap.plan")
        few("Plan.load")
        marginswap.apply(table, plan)
        few("apply")
        marginswap.verify(table, release.data, shuffled=True, margins="margins", **ASKED)
        few("verify")
        marginswap.report(table, release.data, shuffled=True, **ASKED)
        few("report")
        marginswap.inspect(table)
        few("inspect")
        marginswap.screen(table, out="screen.csv", keep=ASKED["keep"])
        few("screen")
        marginswap.risk(table, keys=["age"], population=9000, suda=True, out="risk.csv")
        few("risk")
        marginswap.explain(table, record=1, partners="all", keep=ASKED["keep"])
        few("explain")
        marginswap.graph(table, keep=ASKED["keep"])
        few("graph")
        marginswap.frontier(table, budgets=["5%"], seeds=2, **ASKED)
        few("frontier")
        schema = pyarrow.schema([("region", pyarrow.string()), ("ms_count", pyarrow.uint32())])
        reader = _marginswap.CellReader("cells", schema)
        counts = pyarrow.array([3, 4], pyarrow.uint32())
        reader.add(pyarrow.record_batch([pyarrow.array(["a", "b"]), counts], schema=schema))
        assert reader.finish().records == 2
        few("cells")
        print("few")
        """
    )
    assert said == ["few"]


def test_threads_have_a_limit(arrow_table):
    """More threads than the program would start are not started; a number below one is refused."""
    many = marginswap.inspect(arrow_table, threads=10**30)
    assert many == marginswap.inspect(arrow_table)
    for wrong in (0, -1, 1.5, "two"):
        with pytest.raises(marginswap.Refusal) as refused:
            marginswap.inspect(arrow_table, threads=wrong)
        assert refused.value.place == "`threads=`"
