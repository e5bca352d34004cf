# Made from the functions, the table of settings and the list of fields by tests/stubs.py; do not
# edit.
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Literal, NoReturn, Protocol, TypedDict, TypeVar, overload

from typing_extensions import NotRequired, Unpack

Path = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int], object]

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class _Relation(Protocol):
    @property
    def alias(self) -> str: ...
    def set_alias(self, alias: str) -> Any: ...

class _Spark(Protocol):
    @property
    def sparkSession(self) -> Any: ...
    def createOrReplaceTempView(self, name: str) -> None: ...

class _Array(Protocol):
    def __array__(self) -> Any: ...

_T = TypeVar("_T")
_Table = TypeVar("_Table", bound=_Stream)
_Held = TypeVar("_Held", bound=_Relation)
_OnSpark = TypeVar("_OnSpark", bound=_Spark)
_Data = Path | _Stream | _Relation | _Spark
_Names = str | Iterable[str] | _Array

__version__: str

class Refusal(ValueError):
    code: str
    title: str
    place: str
    detail: str
    remedy: str
    exit_code: int

class NotATable(Refusal, TypeError): ...
class Cancelled(Refusal): ...
class Bug(Refusal): ...
class Note(UserWarning): ...

class Project:
    def __init__(
        self,
        *,
        delimiter: str | int | float | None = None,
        header: bool | None = None,
        derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None = None,
        id: str | None = None,
        ignore: _Names | None = None,
        stay: _Names | None = None,
        vars: _Names | None = None,
        missing: _Names | None = None,
        household: str | None = None,
        household_columns: _Names | None = None,
        household_size: str | None = None,
        households_file: Path | None = None,
        then: Literal["persons"] | None = None,
        keep: str | Iterable[str | Iterable[str]] | None = None,
        keep_households: str | Iterable[str | Iterable[str]] | None = None,
        named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None = None,
        tables: Path | None = None,
        max_separators: str | int | float | None = None,
        keys: _Names | None = None,
        more_keys: str | Iterable[str | Iterable[str]] | None = None,
        household_keys: _Names | None = None,
        scenarios: Mapping[str, Mapping[str, object]] | None = None,
        sensitive: _Names | None = None,
        risky: str | int | float | None = None,
        knows: Literal["any part", "any-part", "all"] | None = None,
        crowd: str | int | float | None = None,
        roughly: Mapping[str, str | int | float] | str | None = None,
        population: str | int | float | None = None,
        fraction: str | int | float | None = None,
        model: str | int | float | None = None,
        criterion: Literal["bic", "aic"] | None = None,
        search: Literal["forest", "forward", "backward", "both"] | None = None,
        start: str | Iterable[str | Iterable[str]] | None = None,
        select: Literal["score", "fit"] | None = None,
        linked: str | Iterable[str | Iterable[str]] | None = None,
        weight: str | None = None,
        weight_drift: str | int | float | None = None,
        weighted: str | Iterable[str | Iterable[str]] | None = None,
        match: str | Iterable[str | Iterable[str]] | None = None,
        near: _Names | None = None,
        areas: Path | None = None,
        strata: _Names | None = None,
        rule: str | Iterable[str | Iterable[str]] | None = None,
        never_new: str | Iterable[str | Iterable[str]] | None = None,
        detach: str | int | float | None = None,
        max_records: str | int | float | None = None,
        budget: str | int | float | None = None,
        rate: str | int | float | None = None,
        mechanism: Literal["glue"] | None = None,
        epsilon: str | int | float | None = None,
        pairing: Literal["slices", "greedy", "optimal"] | None = None,
        effort: Literal["quick", "normal", "long"] | None = None,
        weights: Mapping[str, int] | None = None,
        published: str | Iterable[str | Mapping[str, object]] | None = None,
        published_total: _Names | None = None,
        tolerate_matched_right: str | int | float | None = None,
        tolerate_matched: str | int | float | None = None,
        tolerate_shared_right: str | int | float | None = None,
        tolerate_shared_learned: str | int | float | None = None,
        tolerate_newly_exposed: str | int | float | None = None,
        tolerate_not_hidden: str | int | float | None = None,
        tolerate_not_separable: str | int | float | None = None,
        tolerate_new_pairs: str | int | float | None = None,
        tolerate_dependencies_broken: str | int | float | None = None,
        tolerate_moved: str | int | float | None = None,
        out: Path | None = None,
        households_out: Path | None = None,
        plan: Path | None = None,
        order: Literal["random", "input"] | None = None,
        release_id: bool | None = None,
        drop: _Names | None = None,
        report: Path | None = None,
        external_report: Path | None = None,
        watch: str | Iterable[str | Iterable[str]] | None = None,
        data: Path | None = None,
    ) -> None: ...
    @classmethod
    def load(cls, path: Path = "marginswap.toml") -> Project: ...
    def to_dict(self) -> dict[str, Any]: ...

class _Columns(TypedDict):
    derived: NotRequired[str]
    empty: int
    levels: int
    looks_like_id: bool
    name: NotRequired[str]
    role: str
class _Households(TypedDict):
    counted: list[str]
    households: NotRequired[int]
    largest: float
    of_households: list[str]
    of_persons: list[str]
_JunctionTree = TypedDict("_JunctionTree", {"from": list[str], "separator": list[str], "to": list[str]})
class _Separators(TypedDict):
    components: list[list[str]]
    separator: list[str]
class _Tables(TypedDict):
    name: NotRequired[str]
    published: bool
    variables: list[str]
class _Prevented(TypedDict):
    people: int
    table: list[str]
class _Hiding(TypedDict):
    at_risk: int
    by_replaced_values: int
    can_be_hidden: NotRequired[int]
    cannot_be_hidden: int
    crowd: int
    known_roughly: NotRequired[list[str]]
    no_swap_found: int
    prevented: list[_Prevented]
class _Keys(TypedDict):
    keys: list[str]
    no_partner: int
    not_separable: int
    proved: int
    published: int
    restricted: int
    separable: int
    separable_uniques: int
    unique_on_keys: int
class _Restrictions(TypedDict):
    separable: int
    separable_by_scenario: NotRequired[list[int]]
    setting: str | None
    swappable: int
    swappable_uniques: int
class _Scenarios(TypedDict):
    keys: list[str]
    name: NotRequired[str]
    no_partner: int
    not_separable: int
    proved: int
    published: int
    restricted: int
    separable: int
    separable_uniques: int
    unique_on_keys: int
class _BoundBy(TypedDict):
    reason: str
    table: NotRequired[list[str]]
    variables: NotRequired[list[str]]
class _Choice(TypedDict):
    alpha: list[str]
    beta: list[str]
    exchanged: list[str]
    partner: int
    separator: list[str]
class _Codes(TypedDict):
    code: str
    counting: str
    exit_code: int
    explanation: str
    title: str
class _Hiding2(TypedDict):
    answer: str
    by_replaced_values: NotRequired[bool]
    differing: NotRequired[list[str]]
    exchanged: NotRequired[list[str]]
    keys: NotRequired[list[str]]
    table: NotRequired[list[str]]
class _ReplacingWays(TypedDict):
    differing: list[str]
    exchanged: list[str]
    left_true: list[str]
    made_false: list[str]
    records: int
class _SeparatingWays(TypedDict):
    differing: list[str]
    key_parts: list[list[str]]
    records: int
class _WhyNot(TypedDict):
    because: str
    people: NotRequired[int]
    table: NotRequired[list[str]]
class _Keys2(TypedDict):
    keys: list[str]
    replacing: int
    replacing_ways: list[_ReplacingWays]
    separable: bool
    separating: NotRequired[int]
    separating_ways: list[_SeparatingWays]
    why_not: _WhyNot | None
_Takes = TypedDict("_Takes", {"from": float, "record": int, "variables": list[str]})
class _Swap(TypedDict):
    groups: NotRequired[list[list[str]]]
    kind: str
    records: NotRequired[list[int]]
    takes: NotRequired[list[_Takes]]
class _Larger(TypedDict):
    answer: str
    certificate: NotRequired[Any]
    max_records: NotRequired[int]
    swap: NotRequired[_Swap]
    tried: NotRequired[Any]
class _Added(TypedDict):
    count: int
    inside: list[str] | None
    table: list[str]
class _Sum(TypedDict):
    added: list[_Added]
    remains: int
    taken_off: list[_Added]
class _Proof(TypedDict):
    among_records_with_same: NotRequired[list[Any]]
    kind: str
    sum: NotRequired[_Sum]
class _Restrictions2(TypedDict):
    partners: int
    separating: NotRequired[int]
    separating_by_scenario: NotRequired[list[int]]
    setting: str | None
class _Scenarios2(TypedDict):
    keys: list[str]
    name: NotRequired[str]
    replacing: int
    replacing_ways: list[_ReplacingWays]
    separable: bool
    separating: NotRequired[int]
    separating_ways: list[_SeparatingWays]
    why_not: _WhyNot | None
class _Diagonals(TypedDict):
    alpha: list[str]
    beta: list[str]
    partners: int
class _Separators2(TypedDict):
    agree: int
    components: list[list[str]]
    diagonals: list[_Diagonals]
    one_side: int
    partners: int
    same_cell: int
    separator: list[str]
class _WhatIf(TypedDict):
    held_by: list[str] | None
    partners: int
    table: list[str]
class _Anonymity(TypedDict):
    k: int
    records_below: int
class _AtLeast(TypedDict):
    probability: float
    sample_uniques: float
class _AtRisk(TypedDict):
    disclosed: int | None
    not_swappable: int | None
    records: int
    swappable: int | None
class _Fit(TypedDict):
    bias: float
    opened: int
    value: float
    variance: float
    verdict: str
class _Households2(TypedDict):
    expected_claimed: float
    households: NotRequired[int]
    unique_on_household_keys: int | None
    with_sample_unique: int
class _KeySets(TypedDict):
    below_3: int
    combinations: int
    keys: list[str]
    uniques: int
class _KeyTells(TypedDict):
    key: str
    suda_share: float | None
    uniques_without: int
class _Steps(TypedDict):
    action: str
    df: float
    edge: list[str]
    fit: float | None
    g2: float
    gain: float
    separator: list[Any]
class _Model(TypedDict):
    aic: float
    bic: float
    chosen: str
    cliques: list[list[str]]
    decomposable: bool
    df: float
    fitting: Any
    g2: float
    name: NotRequired[str]
    parameters: float
    separators: list[list[Any]]
    steps: list[_Steps]
class _Risky(TypedDict):
    disclosed: bool | None
    record: int
    risk: float | None
    swappable: bool | None
class _Scenarios3(TypedDict):
    anonymity: list[_Anonymity]
    combinations: int
    keys: list[str]
    name: NotRequired[str]
    sample_uniques: float
class _Suda(TypedDict):
    by_size: list[int]
    largest: float
    records: int
class _Superpopulation(TypedDict):
    model: str
    population_uniques: float | None
    probability: float
    sample_uniques: float
class _Advice(TypedDict):
    advice: str
    bands: NotRequired[list[Any]]
    command: NotRequired[str]
    frees: NotRequired[int]
    helps: NotRequired[int]
    hides: NotRequired[bool]
    key: NotRequired[str]
    left_out: NotRequired[int]
    merged: NotRequired[Any]
    now: NotRequired[int]
    people: NotRequired[int]
    records: NotRequired[int]
    table: NotRequired[list[str]]
class _ChangedByVariable(TypedDict):
    changed: NotRequired[int]
    variable: str
class _HouseholdFates(TypedDict):
    at_risk: int
    gone: int
    matched: int
    newly_exposed: int
    protected: int
    shared: int
class _Households3(TypedDict):
    after: int
    before: int
    changed: NotRequired[int | None]
    torn: int
class _Margins(TypedDict):
    cells: int
    changed: NotRequired[int]
    counts: NotRequired[str]
    margin: list[str]
    name: NotRequired[str]
class _NewPairsByVariables(TypedDict):
    combinations: int
    impossible: int
    pair: list[str]
    records: int
class _NewlyExposedBecause(TypedDict):
    disclosed: int
    not_separable: int
    not_taken: int
class _Reasons(TypedDict):
    at_risk: NotRequired[int]
    by_chance: NotRequired[int]
    columns: NotRequired[int]
    combinations: NotRequired[int]
    counts: NotRequired[int]
    disclosed: NotRequired[int]
    impossible: NotRequired[int]
    largest: NotRequired[float]
    of: NotRequired[int]
    others: NotRequired[int]
    people: NotRequired[int]
    reason: str
    records: NotRequired[int]
    tables: NotRequired[int]
    tolerated: NotRequired[int]
    undecided: NotRequired[int]
class _FoundByKeysKnown(TypedDict):
    after: int
    before: int
    by_chance: int
    keys: int
class _SensitiveAlone(TypedDict):
    claims: int
    share_right: float | None
    share_right_by_chance: float | None
    variable: str
class _TrueAtLeast(TypedDict):
    by_chance: int
    people: int
    values: int
class _Scenarios4(TypedDict):
    at_risk: int
    exact_up_to: int
    found: NotRequired[int]
    found_before: int
    found_by_chance: int
    found_by_keys_known: list[_FoundByKeysKnown]
    found_roughly: int | None
    found_roughly_by_chance: int | None
    gone: int
    keys: list[str]
    linked: float
    linked_by_chance: float
    matched: int
    matched_by_true_values: list[int]
    matched_right: int
    name: NotRequired[str | None]
    newly_exposed: int
    newly_found: int
    newly_found_by_chance: int
    protected: int
    sensitive: list[str]
    sensitive_alone: list[_SensitiveAlone]
    shared: int
    shared_learned: int
    shared_right: int
    shared_values_true: float | None
    shared_values_true_by_chance: float | None
    true_at_least: list[_TrueAtLeast]
    values_true: float | None
    values_true_by_chance: float | None
class _TwoWay(TypedDict):
    changed: NotRequired[int]
    cramers_v_after: NotRequired[float | None]
    cramers_v_before: NotRequired[float | None]
    hellinger: NotRequired[float]
    kept: bool
    pair: list[str]
    total_variation: NotRequired[float]
class _Usefulness(TypedDict):
    most_moved: list[str] | None
    moved_max: float | None
    moved_mean: float | None
    tables: int
    weighted_max: float | None
class _Hidden(TypedDict):
    cannot_be_hidden: int
    crowd: int
    hidden: int
    known_roughly: NotRequired[list[str]]
    not_hidden: int
    prevented_by: list[_Prevented]
    values_replaced: int
class _Households4(TypedDict):
    after: int
    before: int
    changed: NotRequired[int]
    torn: int
class _Moved(TypedDict):
    records: int
    within: str | None
class _PlannedHouseholds(TypedDict):
    household_file: bool
    households_at_risk: int
    persons: NotRequired[int]
class _Then(TypedDict):
    at_risk: int
    cells_changed: int
    groups: int
    persons_changed: int
    separated: int
    swaps: int
    values_replaced: int
    without_swap: int
class _WithoutSwapBecause(TypedDict):
    budget: int
    keys: int
    keys_shared: int
    no_match: int
    not_allowed: int
    not_searched: int
    not_swappable: int
    taken: int
class _After(TypedDict):
    bytes: int
    name: NotRequired[str]
    records: int
    sha256: str
class _Columns2(TypedDict):
    levels: int | None
    levels_is_exact: bool
    name: NotRequired[str]
    released: bool
    role: str
class _Coverage(TypedDict):
    at_risk: int
    gone: int
    matched: int
    matched_right: int
    records: int
    separable: int
    shared: int
class _Graph(TypedDict):
    absorbed: list[list[str]]
    chordal: bool
    cliques: list[list[str]]
    complete: bool
    decomposable: bool
    edges: list[list[str]]
    graphical: bool
    junction_tree: list[_JunctionTree] | None
    margins: list[list[str]]
    separators: list[_Separators]
    separators_complete: bool
    stay_margin: list[str] | None
    stays: list[str]
    tables: list[_Tables]
    uncovered: list[str]
    variables: list[str]
class _Households5(TypedDict):
    after: int
    before: int
    changed: NotRequired[int]
    households: NotRequired[int]
    names: str
    then_persons: bool
    torn: int
class _Method(TypedDict):
    parameters: list[list[str]]
class _Then2(TypedDict):
    groups: int
    swaps: int
class _Plan(TypedDict):
    fits_input: bool
    gives_release: bool
    groups: int
    name: NotRequired[str]
    not_for_release: bool
    swaps: int
    then: NotRequired[_Then2]
    tool_version: str
class _RiskBefore(TypedDict):
    below_3: int
    below_5: int
    keys: list[str]
    name: NotRequired[str | None]
    sample_uniques: float
    unique_on_keys: int
class _TwoWay2(TypedDict):
    changed: NotRequired[int]
    cramers_v_after: NotRequired[float | None]
    cramers_v_before: NotRequired[float | None]
    hellinger: NotRequired[float]
    kept: bool
    moved: NotRequired[str | None]
    pair: list[int | str]
    total_variation: NotRequired[float]
class _Watched(TypedDict):
    changed: NotRequired[int]
    hellinger: NotRequired[float]
    moved: NotRequired[str | None]
    table: list[str]
    total_variation: NotRequired[float]
class _Plans(TypedDict):
    budget: str | None
    change: float
    gone: int
    matched: int
    matched_right: int
    newly_exposed: int
    number: int
    records_changed: int
    seed: int
    shared: int
    two_way_max: float
    two_way_mean: float
    undominated: bool
class _Reasons2(TypedDict):
    at_risk: NotRequired[int]
    combinations: NotRequired[int]
    disclosed: NotRequired[int]
    impossible: NotRequired[int]
    largest: NotRequired[float]
    of: NotRequired[int]
    others: NotRequired[int]
    people: NotRequired[int]
    reason: str
    records: NotRequired[int]
    tables: NotRequired[int]
    tolerated: NotRequired[int]
    undecided: NotRequired[int]
class _Foreseen(TypedDict):
    not_known: list[str]
    reasons: list[_Reasons2]
    verdict: str
class Answer:
    notes: tuple[str, ...]
    def __iter__(self) -> Iterator[str]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str | None: ...
class Inspection(Answer):
    cells: int
    columns: list[_Columns]
    data: str
    dependencies: list[Any]
    format: str
    households: _Households
    ignored: list[str]
    records: int
    sample_uniques: float
    variables: int
    version: int
class Graph(Answer):
    absorbed: list[list[str]]
    chordal: bool
    cliques: list[list[str]]
    complete: bool
    decomposable: bool
    edges: list[list[str]]
    graphical: bool
    junction_tree: list[_JunctionTree]
    margins: list[list[str]]
    separators: list[_Separators]
    separators_complete: bool
    stay_margin: list[str] | None
    stays: list[str]
    tables: list[_Tables]
    uncovered: list[str]
    variables: list[str]
    version: int
class Screening(Answer):
    cells: int
    disclosed: int
    disclosed_also_uses: list[str]
    disclosed_is_exact: bool
    disclosed_uniques: int
    disclosed_uses_stay_margin: list[str] | None
    hiding: _Hiding
    keys: _Keys
    looks_like_id: list[str]
    not_swappable_uniques: int
    persons: int
    records: int
    restrictions: list[_Restrictions]
    sample_uniques: float
    scenarios: list[_Scenarios]
    separators: int
    separators_complete: bool
    swappable: int
    swappable_uniques: int
    version: int
class Explanation(Answer):
    bound_by: list[_BoundBy]
    cell_count: int
    choice: _Choice | None
    code: str
    codes: list[_Codes]
    counting: str
    differing: list[str]
    disclosed: bool
    exchange_bits: int
    exchanges: int
    exit_code: int
    explanation: str
    hiding: _Hiding2
    keys: _Keys2
    larger: _Larger
    partner_records: list[int]
    partners: int
    parts: list[list[str]]
    proof: _Proof
    published_tables: int
    record: int
    records: list[int]
    restrictions: list[_Restrictions2]
    sample_unique: bool
    scenarios: list[_Scenarios2]
    separators: list[_Separators2]
    separators_complete: bool
    separators_known: int
    stays: list[str]
    swappable: bool
    title: str
    version: int
    what_if: list[_WhatIf]
class Risk(Answer):
    anonymity: list[_Anonymity]
    at_least: list[_AtLeast]
    at_risk: _AtRisk | None
    combinations: int
    dis: float | None
    fit: _Fit | None
    households: _Households2
    key_sets: list[_KeySets]
    key_tells: list[_KeyTells]
    keys: list[str]
    model: _Model
    population: float
    records: int
    risky: list[_Risky]
    rule: str | None
    sample_uniques: float
    sampling_fraction: float
    scenarios: list[_Scenarios3]
    suda: _Suda | None
    superpopulation: list[_Superpopulation]
    tau1: float
    tau2: float
    version: int
    weighted: Any
class Verification(Answer):
    advice: list[_Advice]
    alone_by_model: int
    at_risk: int
    broken: list[Any]
    cells_changed: int | None
    changed_by_variable: list[_ChangedByVariable] | None
    dependencies_broken: list[Any]
    dependencies_broken_records: int
    disclosed: int
    disclosed_is_exact: bool
    equal: bool
    found: int
    found_before: int
    found_by_chance: int
    gone: int
    hidden: Any
    household_fates: _HouseholdFates
    households: _Households3
    knows: str
    margins: list[_Margins]
    matched: int
    matched_right: int
    new_pairs: int
    new_pairs_by_variables: list[_NewPairsByVariables]
    new_pairs_impossible: int
    new_pairs_left_out: list[str]
    new_pairs_records: int
    newly_exposed: int
    newly_exposed_because: _NewlyExposedBecause
    newly_found: int
    newly_found_by_chance: int
    protected: int
    published: list[Any]
    reasons: list[_Reasons]
    records_after: int
    records_before: int
    records_changed: int | None
    reordered: bool
    replaced: int
    requoted: list[Any]
    scenarios: list[_Scenarios4]
    shared: int
    shared_learned: int
    shared_right: int
    three_way_max: float | None
    three_way_mean: float | None
    two_way: list[_TwoWay]
    two_way_max: float | None
    two_way_mean: float | None
    unlinked: Any
    usefulness: _Usefulness
    values_true: float | None
    values_true_by_chance: float | None
    verdict: Literal["release", "review", "do_not_release"]
    version: int
    def __bool__(self) -> bool: ...
class Release(Answer, Generic[_T]):
    advice: list[_Advice]
    alone_by_model: int
    at_risk: int
    barred: int | None
    broken: list[Any]
    broken_rules: int
    cells_changed: int
    cells_kept: int
    changed_by_variable: list[_ChangedByVariable]
    cost: int
    covered: int
    covered_by_groups: int
    dependencies_broken: list[Any]
    dependencies_broken_records: int
    disclosed: int
    disclosed_is_exact: bool
    equal: bool
    found: int
    found_before: int
    found_by_chance: int
    gone: int
    groups: int
    groups_by_records: dict[str, int]
    hidden: _Hidden | None
    household_fates: _HouseholdFates
    households: _Households4
    impossible: int | None
    knows: str
    margins: list[_Margins]
    matched: int
    matched_right: int
    max_records: int
    most_separated: int | None
    moved: list[_Moved]
    new_pairs: int
    new_pairs_by_variables: list[_NewPairsByVariables]
    new_pairs_impossible: int
    new_pairs_left_out: list[str]
    new_pairs_records: int
    newly_exposed: int
    newly_exposed_because: _NewlyExposedBecause
    newly_found: int
    newly_found_by_chance: int
    not_for_release: bool
    not_found: int | None
    not_swappable_disclosed: int
    planned_households: _PlannedHouseholds
    protected: int
    published: list[Any]
    reasons: list[_Reasons]
    records: int
    records_after: int
    records_before: int
    records_changed: int
    released: str
    reordered: bool
    replaced: int
    requoted: list[Any]
    scenarios: list[_Scenarios4]
    separable: int
    separated: int
    shared: int
    shared_learned: int
    shared_right: int
    swaps: int
    tables: int
    then: _Then
    three_way_max: float | None
    three_way_mean: float | None
    two_way: list[_TwoWay]
    two_way_max: float | None
    two_way_mean: float | None
    unlinked: Any
    usefulness: _Usefulness
    values_replaced: int
    values_true: float | None
    values_true_by_chance: float | None
    verdict: Literal["release", "review", "do_not_release"]
    version: int
    without_swap: int
    without_swap_because: _WithoutSwapBecause
    work_limit_reached: bool
    data: _T
    path: str | None
    plan: Plan
    def __bool__(self) -> bool: ...
class Page(Answer):
    advice: list[_Advice]
    after: _After
    alone_by_model: int
    at_risk: int
    before: _After
    broken: list[Any]
    cells_changed: int | None
    changed_by_variable: list[_ChangedByVariable] | None
    columns: list[_Columns2]
    coverage: _Coverage
    demonstration: bool
    dependencies_broken: list[Any]
    dependencies_broken_records: int
    disclosed: int
    disclosed_is_exact: bool
    equal: bool
    exposed_records: list[Any] | None
    extent: str | None
    found: int
    found_before: int
    found_by_chance: int
    gone: int
    graph: _Graph
    groups_by_records: dict[str, int]
    hidden: _Hidden | None
    household_fates: _HouseholdFates
    household_tables: list[list[str]]
    households: _Households5
    knows: str
    left_records: list[Any] | None
    margins: list[_Margins]
    matched: int
    matched_right: int
    may_differ: list[str]
    method: _Method
    moved: list[_Moved]
    new_pairs: int
    new_pairs_by_variables: list[_NewPairsByVariables]
    new_pairs_impossible: int
    new_pairs_left_out: list[str]
    new_pairs_records: int
    newly_exposed: int
    newly_exposed_because: _NewlyExposedBecause
    newly_found: int
    newly_found_by_chance: int
    plan: _Plan | None
    protected: int | str | None
    published: list[Any]
    reasons: list[_Reasons]
    records: int
    records_after: int
    records_before: int
    records_changed: int | None
    reordered: bool
    replaced: int
    replay: list[str]
    requoted: list[Any]
    risk_before: list[_RiskBefore]
    rule: str
    scenarios: list[_Scenarios4]
    shared: int
    shared_learned: int
    shared_right: int
    tables: list[list[str]]
    three_way_max: float | None
    three_way_mean: float | None
    tool_version: str
    two_way: list[_TwoWay2]
    two_way_max: float | None
    two_way_mean: float | None
    unlinked: Any
    usefulness: _Usefulness
    values_true: float | None
    values_true_by_chance: float | None
    variables: list[str]
    verdict: Literal["release", "review", "do_not_release"]
    version: int
    watched: list[_Watched]
    html: str
    def __bool__(self) -> bool: ...
class Frontier(Answer):
    at_risk: int
    by_two_way: bool
    chosen: int
    criterion: str
    disclosed: int
    larger_swaps: bool
    not_for_release: bool
    not_separable: int
    plans: list[_Plans]
    records: int
    version: int
    plan: Plan | None
class Plan(Answer):
    alone_by_model: int
    at_risk: int
    barred: Any
    broken_rules: int
    cells_changed: int
    cost: int
    covered: int
    covered_by_groups: int
    dependencies_broken: list[Any]
    dependencies_broken_records: int
    disclosed: int
    disclosed_is_exact: bool
    foreseen: _Foreseen
    found: int
    found_before: int
    found_by_chance: int
    gone: int
    groups: int
    groups_by_records: dict[str, int]
    hidden: _Hidden | None
    household_fates: _HouseholdFates
    impossible: Any
    knows: str
    matched: int
    matched_right: int
    max_records: int
    most_separated: int | None
    moved: list[_Moved]
    new_pairs: int
    new_pairs_by_variables: list[_NewPairsByVariables]
    new_pairs_impossible: int
    new_pairs_left_out: list[str]
    new_pairs_records: int
    newly_exposed: int
    newly_exposed_because: _NewlyExposedBecause
    newly_found: int
    newly_found_by_chance: int
    not_for_release: bool
    not_found: Any
    not_swappable_disclosed: int
    planned_households: _PlannedHouseholds
    protected: int
    records: int
    records_changed: int
    scenarios: list[_Scenarios4]
    separable: int
    separated: int
    shared: int
    shared_learned: int
    shared_right: int
    swaps: int
    tables: int
    then: _Then
    values_replaced: int
    values_true: float | None
    values_true_by_chance: float | None
    version: int
    without_swap: int
    without_swap_because: _WithoutSwapBecause
    work_limit_reached: bool
    @classmethod
    def load(cls, path: Path, *, seal_file: Path | None = None) -> Plan: ...
    def save(self, path: Path, *, force: bool = False, seal_file: Path | None = None) -> None: ...
    def same_swaps(self, other: Plan) -> bool: ...
    def __reduce__(self) -> NoReturn: ...
class EngineRelease(Answer, Generic[_T]):
    advice: list[_Advice]
    alone_by_model: int
    at_risk: int
    barred: int | None
    broken: list[Any]
    broken_rules: int
    cells: int
    cells_changed: int
    cells_kept: int
    changed_by_variable: list[_ChangedByVariable] | None
    cost: int
    covered: int
    covered_by_groups: int
    dependencies_broken: list[Any]
    dependencies_broken_records: int
    disclosed: int
    disclosed_is_exact: bool
    equal: bool
    found: int
    found_before: int
    found_by_chance: int
    gone: int
    groups: int
    groups_by_records: dict[str, int]
    hidden: _Hidden | None
    household_fates: _HouseholdFates
    households: _Households4
    impossible: int | None
    knows: str
    margins: list[_Margins]
    matched: int
    matched_right: int
    max_records: int
    most_separated: int | None
    moved: list[_Moved]
    new_pairs: int
    new_pairs_by_variables: list[_NewPairsByVariables]
    new_pairs_impossible: int
    new_pairs_left_out: list[str]
    new_pairs_records: int
    newly_exposed: int
    newly_exposed_because: _NewlyExposedBecause
    newly_found: int
    newly_found_by_chance: int
    not_for_release: bool
    not_found: int | None
    not_known: list[str]
    not_swappable_disclosed: int
    planned_households: _PlannedHouseholds
    protected: int
    published: list[Any]
    reasons: list[_Reasons]
    records: int
    records_after: int
    records_before: int
    records_changed: int
    released: str
    reordered: bool
    replaced: int
    requoted: list[Any]
    scenarios: list[_Scenarios4]
    separable: int
    separated: int
    shared: int
    shared_learned: int
    shared_right: int
    swaps: int
    tables: int
    then: _Then
    three_way_max: float | None
    three_way_mean: float | None
    two_way: list[_TwoWay]
    two_way_max: float | None
    two_way_mean: float | None
    unlinked: Any
    usefulness: _Usefulness
    values_replaced: int
    values_true: float | None
    values_true_by_chance: float | None
    verdict: Literal["release", "review", "do_not_release"]
    version: int
    without_swap: int
    without_swap_because: _WithoutSwapBecause
    work_limit_reached: bool
    table: _T
    plan: Plan | None
    def __bool__(self) -> bool: ...
    def write(
        self,
        path: Path,
        *,
        partition_by: Iterable[str] = (),
        writer: Callable[[_T, str], Any] | None = None,
    ) -> EngineRelease[_T]: ...
class _SettingsInspect(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
class _SettingsGraph(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
class _SettingsScreen(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
class _SettingsExplain(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    max_records: str | int | float | None
class _SettingsRisk(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
class _SettingsPlan(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    max_records: str | int | float | None
    budget: str | int | float | None
    rate: str | int | float | None
    pairing: Literal["slices", "greedy", "optimal"] | None
    effort: Literal["quick", "normal", "long"] | None
    weights: Mapping[str, int] | None
    tolerate_matched_right: str | int | float | None
    tolerate_matched: str | int | float | None
    tolerate_shared_right: str | int | float | None
    tolerate_shared_learned: str | int | float | None
    tolerate_newly_exposed: str | int | float | None
    tolerate_not_hidden: str | int | float | None
    tolerate_not_separable: str | int | float | None
    tolerate_new_pairs: str | int | float | None
    tolerate_dependencies_broken: str | int | float | None
    tolerate_moved: str | int | float | None
class _SettingsProtect(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    max_records: str | int | float | None
    budget: str | int | float | None
    rate: str | int | float | None
    mechanism: Literal["glue"] | None
    epsilon: str | int | float | None
    pairing: Literal["slices", "greedy", "optimal"] | None
    effort: Literal["quick", "normal", "long"] | None
    weights: Mapping[str, int] | None
    published: str | Iterable[str | Mapping[str, object]] | None
    published_total: _Names | None
    tolerate_matched_right: str | int | float | None
    tolerate_matched: str | int | float | None
    tolerate_shared_right: str | int | float | None
    tolerate_shared_learned: str | int | float | None
    tolerate_newly_exposed: str | int | float | None
    tolerate_not_hidden: str | int | float | None
    tolerate_not_separable: str | int | float | None
    tolerate_new_pairs: str | int | float | None
    tolerate_dependencies_broken: str | int | float | None
    tolerate_moved: str | int | float | None
    out: Path | None
    households_out: Path | None
    plan: Path | None
    order: Literal["random", "input"] | None
    release_id: bool | None
    drop: _Names | None
    report: Path | None
    external_report: Path | None
    watch: str | Iterable[str | Iterable[str]] | None
class _SettingsApply(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    households_file: Path | None
    published: str | Iterable[str | Mapping[str, object]] | None
    published_total: _Names | None
    tolerate_matched_right: str | int | float | None
    tolerate_matched: str | int | float | None
    tolerate_shared_right: str | int | float | None
    tolerate_shared_learned: str | int | float | None
    tolerate_newly_exposed: str | int | float | None
    tolerate_not_hidden: str | int | float | None
    tolerate_not_separable: str | int | float | None
    tolerate_new_pairs: str | int | float | None
    tolerate_dependencies_broken: str | int | float | None
    tolerate_moved: str | int | float | None
    out: Path | None
    households_out: Path | None
    order: Literal["random", "input"] | None
    release_id: bool | None
    drop: _Names | None
class _SettingsVerify(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    published: str | Iterable[str | Mapping[str, object]] | None
    published_total: _Names | None
    tolerate_matched_right: str | int | float | None
    tolerate_matched: str | int | float | None
    tolerate_shared_right: str | int | float | None
    tolerate_shared_learned: str | int | float | None
    tolerate_newly_exposed: str | int | float | None
    tolerate_not_hidden: str | int | float | None
    tolerate_not_separable: str | int | float | None
    tolerate_new_pairs: str | int | float | None
    tolerate_dependencies_broken: str | int | float | None
    tolerate_moved: str | int | float | None
    households_out: Path | None
class _SettingsReport(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    published: str | Iterable[str | Mapping[str, object]] | None
    published_total: _Names | None
    tolerate_matched_right: str | int | float | None
    tolerate_matched: str | int | float | None
    tolerate_shared_right: str | int | float | None
    tolerate_shared_learned: str | int | float | None
    tolerate_newly_exposed: str | int | float | None
    tolerate_not_hidden: str | int | float | None
    tolerate_not_separable: str | int | float | None
    tolerate_new_pairs: str | int | float | None
    tolerate_dependencies_broken: str | int | float | None
    tolerate_moved: str | int | float | None
    households_out: Path | None
    watch: str | Iterable[str | Iterable[str]] | None
class _SettingsFrontier(TypedDict, total=False):
    delimiter: str | int | float | None
    header: bool | None
    derive: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    id: str | None
    ignore: _Names | None
    stay: _Names | None
    vars: _Names | None
    missing: _Names | None
    household: str | None
    household_columns: _Names | None
    household_size: str | None
    households_file: Path | None
    then: Literal["persons"] | None
    keep: str | Iterable[str | Iterable[str]] | None
    keep_households: str | Iterable[str | Iterable[str]] | None
    named: Mapping[str, str | Iterable[str]] | Iterable[str] | str | None
    tables: Path | None
    max_separators: str | int | float | None
    keys: _Names | None
    more_keys: str | Iterable[str | Iterable[str]] | None
    household_keys: _Names | None
    scenarios: Mapping[str, Mapping[str, object]] | None
    sensitive: _Names | None
    risky: str | int | float | None
    knows: Literal["any part", "any-part", "all"] | None
    crowd: str | int | float | None
    roughly: Mapping[str, str | int | float] | str | None
    population: str | int | float | None
    fraction: str | int | float | None
    model: str | int | float | None
    criterion: Literal["bic", "aic"] | None
    search: Literal["forest", "forward", "backward", "both"] | None
    start: str | Iterable[str | Iterable[str]] | None
    select: Literal["score", "fit"] | None
    linked: str | Iterable[str | Iterable[str]] | None
    weight: str | None
    weight_drift: str | int | float | None
    weighted: str | Iterable[str | Iterable[str]] | None
    match: str | Iterable[str | Iterable[str]] | None
    near: _Names | None
    areas: Path | None
    strata: _Names | None
    rule: str | Iterable[str | Iterable[str]] | None
    never_new: str | Iterable[str | Iterable[str]] | None
    detach: str | int | float | None
    max_records: str | int | float | None
    budget: str | int | float | None
    rate: str | int | float | None
    pairing: Literal["slices", "greedy", "optimal"] | None
    effort: Literal["quick", "normal", "long"] | None
    weights: Mapping[str, int] | None
    plan: Path | None
def inspect(
    data: _Data | None = None,
    *,
    reveal: bool = False,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsInspect],
) -> Inspection: ...
def graph(
    data: _Data | None = None,
    *,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsGraph],
) -> Graph: ...
def screen(
    data: _Data | None = None,
    *,
    out: Path | None = None,
    engine: object | None = None,
    force: bool = False,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsScreen],
) -> Screening: ...
def explain(
    data: _Data | None = None,
    *,
    record: int | str | None = None,
    pair: tuple[int | str, int | str] | None = None,
    partners: Literal["count", "all"] = "count",
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsExplain],
) -> Explanation: ...
def risk(
    data: _Data | None = None,
    *,
    suda: int | bool | None = None,
    engine: object | None = None,
    key_sets: int = 2,
    out: Path | None = None,
    force: bool = False,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsRisk],
) -> Risk: ...
def plan(
    data: _Data | None = None,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    engine: object | None = None,
    staging: Path | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsPlan],
) -> Plan: ...
@overload
def protect(
    data: Path | None = None,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsProtect],
) -> Release[None]: ...
@overload
def protect(
    data: Path,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: object,
    staging: Path | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsProtect],
) -> EngineRelease[Any]: ...
@overload
def protect(
    data: _Held,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsProtect],
) -> EngineRelease[_Held]: ...
@overload
def protect(
    data: _OnSpark,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: Path | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsProtect],
) -> EngineRelease[_OnSpark]: ...
@overload
def protect(
    data: _Table,
    *,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsProtect],
) -> Release[_Table]: ...
@overload
def apply(
    data: Path,
    plan: Plan | Path | None,
    *,
    seed_file: Path | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsApply],
) -> Release[None]: ...
@overload
def apply(
    data: Path,
    plan: Plan | Path | None,
    *,
    seed_file: Path | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: object,
    staging: Path | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsApply],
) -> EngineRelease[Any]: ...
@overload
def apply(
    data: _Held,
    plan: Plan | Path | None,
    *,
    seed_file: Path | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsApply],
) -> EngineRelease[_Held]: ...
@overload
def apply(
    data: _OnSpark,
    plan: Plan | Path | None,
    *,
    seed_file: Path | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: Path | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsApply],
) -> EngineRelease[_OnSpark]: ...
@overload
def apply(
    data: _Table,
    plan: Plan | Path | None,
    *,
    seed_file: Path | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: None = None,
    staging: None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsApply],
) -> Release[_Table]: ...
def verify(
    before: _Data,
    after: _Data,
    *,
    shuffled: bool | None = None,
    three_way: bool = False,
    reveal: bool = False,
    margins: Path | None = None,
    force: bool = False,
    engine: object | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsVerify],
) -> Verification: ...
def report(
    before: _Data,
    after: _Data,
    *,
    plan: Plan | Path | None = None,
    external: bool = False,
    out: Path | None = None,
    shuffled: bool = False,
    reveal: bool = False,
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    engine: object | None = None,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsReport],
) -> Page: ...
def frontier(
    data: _Data | None = None,
    *,
    budgets: Iterable[str | int] | None = None,
    engine: object | None = None,
    seeds: int = 3,
    choose: str = "least-risk",
    seed_file: Path | None = None,
    demo_seed: int | None = None,
    seal_file: Path | None = None,
    force: bool = False,
    project: Project | Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: Unpack[_SettingsFrontier],
) -> Frontier: ...
def demo(
    folder: Path,
    *,
    records: int = 100_000,
    households: bool = False,
    demo_seed: int = 1,
    force: bool = False,
) -> str: ...
def demo_table() -> Any: ...
