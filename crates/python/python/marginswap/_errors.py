"""What is raised. No message holds a data value."""

from __future__ import annotations


class Refusal(ValueError):
    """marginswap refuses to do something, and says where, why and what helps.

    >>> try:
    ...     marginswap.explain("E999")
    ... except marginswap.Refusal as refusal:
    ...     print(refusal.code, refusal.exit_code)
    E111 2
    """

    def __init__(
        self,
        code: str,
        title: str,
        place: str,
        detail: str,
        remedy: str,
        exit_code: int,
    ) -> None:
        super().__init__(code, title, place, detail, remedy, exit_code)
        #: The code, such as ``E203``; ``marginswap.explain(code)`` says more.
        self.code = code
        #: A few words for it.
        self.title = title
        #: File, line, column or argument; empty where there is none.
        self.place = place
        #: What is wrong.
        self.detail = detail
        #: What helps.
        self.remedy = remedy
        #: The exit code of the command line.
        self.exit_code = exit_code

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.title}"]
        if self.place:
            lines.append(f"  --> {self.place}")
        lines += [f"  {line}" for line in self.detail.splitlines()]
        lines.append(f"  {self.remedy}")
        return "\n".join(lines)


class NotATable(Refusal, TypeError):
    """What was given is no table that marginswap knows."""


class Cancelled(Refusal):
    """The run was asked to stop, and did."""


class Bug(Refusal):
    """A bug of marginswap; nothing was released."""


class Note(UserWarning):
    """Something worth a word that stops nothing."""
