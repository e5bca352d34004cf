"""Every line that ends in `# wrong` is a mistake that mypy and pyright must find: `test_types.py`."""

from typing import TYPE_CHECKING

import marginswap

if TYPE_CHECKING:
    import polars as pl


def mistakes(frame: "pl.DataFrame") -> None:
    marginswap.inspect(frame).recodrs  # wrong
    marginswap.verify(frame, frame, keep="sex").verdict == "relase"  # wrong
    marginswap.plan(frame, pairing="best")  # wrong
    marginswap.explain(frame, partners="some")  # wrong
    marginswap.inspect(frame, keys=["age"])  # wrong
    marginswap.screen(frame, threads="two")  # wrong
    marginswap.inspect([1, 2, 3])  # wrong
    marginswap.protect("survey.csv").data.height  # wrong
    marginswap.protect(frame, demo_sed=1)  # wrong
    marginswap.Project(order="sorted")  # wrong
