"""The types of the fields of answers, made from the list of all fields of the program's JSON."""

from __future__ import annotations

import keyword
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]

#: The commands whose JSON has the fields of a class.
COMMANDS = {
    "Inspection": ["inspect"],
    "Graph": ["graph"],
    "Screening": ["screen"],
    "Explanation": ["explain", "pair", "code", "codes"],
    "Risk": ["risk"],
    "Verification": ["verify"],
    "Release": ["protect", "apply"],
    "Page": ["internal", "external"],
    "Frontier": ["frontier"],
    "Plan": ["plan"],
    "EngineRelease": ["protect"],
}

#: Fields of which only one kind is in the list, because they are asked for with `reveal=` or the
#: like, or because only Python has them.
MORE = {
    "EngineRelease": [
        "cells: number", "not_known: list", "not_known[]: text", "changed_by_variable: null",
        "groups_by_records.*: number",
    ],
    "Page": [
        "records_changed: null", "cells_changed: null", "changed_by_variable: null", "plan: null",
        "left_records: list, null", "exposed_records: list, null",
        "groups_by_records.*: number",
    ],
    "Plan": ["groups_by_records.*: number"],
    "Release": ["groups_by_records.*: number"],
    "Risk": ["key_tells[].suda_share: null", "suda: null"],
}

#: Fields that are left out of some objects by other means than serde's `skip_serializing_if`.
LEFT_OUT = {
    "separating", "separating_by_scenario", "separable_by_scenario", "changed", "cramers_v_after",
    "cramers_v_before", "hellinger", "total_variation",
}

#: What tells objects of several kinds apart: all other fields are those of one kind.
TAGS = {"advice", "answer", "because", "how", "kind", "reason"}

VERDICT = 'Literal["release", "review", "do_not_release"]'


class Node:
    """A value of the JSON, with all that it was seen to be."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.fields: dict[str, Node] = {}
        self.item: Node | None = None

    def at(self, path: str) -> Node:
        node = self
        for name, lists in re.findall(r"([^.\[\]]+)((?:\[\])*)", path):
            node = node.fields.setdefault(name, Node())
            for _ in range(len(lists) // 2):
                node.item = node.item or Node()
                node = node.item
        return node


def tree(name: str) -> Node:
    """All fields of the answers of a class."""
    root = Node()
    listed = (ROOT / "tests" / "frozen" / "fields.txt").read_text().splitlines()
    lines = [line.partition(" ") for line in listed]
    told = [rest for command, _, rest in lines if command in COMMANDS[name]]
    for line in [*told, *MORE.get(name, [])]:
        path, _, kinds = line.rpartition(": ")
        root.at(path).kinds.update(kinds.split(", "))
    return root


def source() -> str:
    """The structs of the answers."""
    report = ROOT / "crates" / "report" / "src"
    return "\n".join(path.read_text() for path in sorted(report.rglob("*.rs")))


class Types:
    """The types of all answers; objects that look alike are one class."""

    def __init__(self) -> None:
        text = source()
        self.fractions = set(re.findall(r"pub (\w+): (?:Option<)?(?:Vec<|\[)?f64", text))
        left_out = re.findall(r"skip_serializing_if[^\]]*\]\s*(?:///[^\n]*\s*)*pub (\w+):", text)
        self.left_out = LEFT_OUT | set(left_out)
        self.made: dict[str, str] = {}
        self.used: set[str] = set()
        self.texts: list[str] = []

    def of(self, node: Node, name: str) -> str:
        kinds = set(node.kinds)
        said = []
        if node.fields:
            kinds -= {"null"} if not (kinds - {"null"}) else set()
            said.append(self.mapping(node, name))
        if node.item is not None:
            said.append(f"list[{self.of(node.item, name)}]")
            kinds.discard("list")
        plain = {"text": "str", "true or false": "bool", "list": "list[Any]"}
        plain["number"] = "float" if name in self.fractions else "int"
        said += [plain[kind] for kind in sorted(kinds - {"null"})]
        if not said and name in self.fractions:
            said.append("float")
        if not said:
            return "Any"
        return " | ".join([*said, "None"] if "null" in node.kinds else said)

    def mapping(self, node: Node, name: str) -> str:
        if set(node.fields) == {"*"}:
            return f"dict[str, {self.of(node.fields['*'], name)}]"
        tagged = TAGS & set(node.fields)
        lines = {}
        for field, own in sorted(node.fields.items()):
            kind = self.of(own, field)
            free = (tagged and field not in tagged) or field in self.left_out
            lines[field] = f"NotRequired[{kind}]" if free else kind
        body = "\n".join(f"    {field}: {kind}" for field, kind in lines.items())
        if body in self.made:
            return self.made[body]
        title = "_" + "".join(part.capitalize() for part in re.split(r"\W|_", name))
        made, number = title, 2
        while made in self.used:
            made, number = f"{title}{number}", number + 1
        self.used.add(made)
        self.made[body] = made
        if any(keyword.iskeyword(field) or not field.isidentifier() for field in lines):
            pairs = ", ".join(f'"{field}": {kind}' for field, kind in lines.items())
            self.texts.append(f'{made} = TypedDict("{made}", {{{pairs}}})')
        else:
            self.texts.append(f"class {made}(TypedDict):\n{body}")
        return made

    def attributes(self, name: str) -> list[str]:
        """The fields of a class, with their types."""
        own = {"verdict": VERDICT}
        return [
            f"{field}: {own.get(field) or self.of(node, field)}"
            for field, node in sorted(tree(name).fields.items())
            # A word of Python is no attribute; `to_dict()` has it.
            if not keyword.iskeyword(field)
        ]
