"""References (``$ref``) in a schema are followed, cut or described, in bounded steps."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.schemas import GEMINI, GEMINI_JSON, OPENAI, Dialect, clean_schema, references
from tests.sanitizers.schemas.cleaning import NODE, TEXT, WHOLE, check_row, of, reasons
from tests.support.counted_steps import ComparedText, count_comparisons

ROWS = [
    pytest.param(
        {"$ref": "other.json#/A", "type": "string"},
        {**TEXT, "description": "See other.json#/A."},
        {"ref_unresolved": False},
        id="remote_reference",
    ),
    pytest.param(
        {"$ref": "#", "description": "d"},
        {"type": "object", "description": "d Here again: the whole."},
        {"ref_cut": False},
        id="reference_to_the_root",
    ),
]


@pytest.mark.parametrize(("schema", "cleaned", "why"), ROWS)
def test_references_that_cannot_be_followed_are_described(
    schema: Any, cleaned: Any, why: dict[str, bool]
) -> None:
    """The description holds the reference."""
    check_row(schema, cleaned, why)


@pytest.mark.parametrize(
    ("node", "dialect"),
    [(NODE, GEMINI), ({**NODE, "required": ["next"]}, GEMINI_JSON)],
    ids=["gemini", "required"],
)
def test_recursion_is_cut_below_the_first_level(node: Any, dialect: Dialect) -> None:
    """Below the first level, the recursive definition becomes an object of any kind."""
    cut = of({"$ref": "#/definitions/Node"}, dialect, {"definitions": {"Node": node}})

    assert cut["properties"]["v"] == TEXT
    assert cut["properties"]["next"] == {"type": "object", "description": "Here again: Node."}


@pytest.mark.parametrize(
    ("reference", "root"),
    [
        ("#/$defs/A~1B", {"$defs": {"A/B": TEXT}}),
        ("#/$defs/m~0n", {"$defs": {"m~n": TEXT}}),
        ("#/$defs/List%3CA%3E", {"$defs": {"List<A>": TEXT}}),
        ("#/$defs/D/anyOf/1", {"$defs": {"D": {"anyOf": [WHOLE, TEXT]}}}),
        ("#/$defs/two", {"$defs": {"two": {"$ref": "#/$defs/one"}, "one": TEXT}}),
        ("#name", {"$defs": {"D": {"$anchor": "name", **TEXT}}}),
        ("T0", {"$defs": {"D": {"$id": "T0", **TEXT}}}),
    ],
)
def test_references_of_common_generators_are_followed(reference: str, root: dict[str, Any]) -> None:
    """Keywords beside the reference are kept."""
    assert of({"$ref": reference, "description": "d"}, beside=root) == {**TEXT, "description": "d"}


@pytest.mark.parametrize("reference", ["#/$defs/D/anyOf/9", "#/$defs/D/anyOf/x", "#nowhere", ""])
def test_references_without_a_target_are_described(reference: str) -> None:
    """The description holds the reference."""
    beside = {"$defs": {"D": {"anyOf": [TEXT]}, "E": 1}}

    assert of({"$ref": reference, **TEXT}, beside=beside) == {**TEXT, "description": f"See {reference}."}
    assert reasons({"$ref": reference, **TEXT}, beside=beside)["ref_unresolved"] is False


def test_a_ring_of_definitions_is_read_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """References that are found after the last step count as recursive."""
    monkeypatch.setattr(references, "_MAX_STEPS", 2_000)
    ring = {
        f"d{at}": {"type": "object", "properties": {"n": {"$ref": f"#/$defs/d{(at + 1) % 100}"}}}
        for at in range(100)
    }
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": ring}
    found = references.References(schema, lambda much: None)

    recursive = [found.is_recursive(target, strictly=False) for target in ring.values()]

    assert all(recursive)
    assert found._steps <= references._MAX_STEPS + len(ring)
    assert clean_schema(schema, GEMINI).schema["type"] == "object"


def test_merged_members_may_have_malformed_properties() -> None:
    """A schema whose ``properties`` is null is joined with the members of its ``allOf``."""
    schema = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "properties": None,
        "allOf": [{"properties": {"x": {"type": "string"}}}],
    }

    assert clean_schema(schema, GEMINI).schema["type"] == "object"


@pytest.mark.parametrize("keyword", ["properties", "allOf", "anyOf", "items", "not"])
@pytest.mark.parametrize("dialect", [GEMINI, GEMINI_JSON, OPENAI])
def test_long_chains_of_references_are_cut(
    keyword: str, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain of 1,200 definitions is cleaned without exceeding Python's stack."""
    monkeypatch.setattr(references, "_MAX_STEPS", 10_000)

    def link(number: int) -> Any:
        reference = {"$ref": f"#/$defs/d{number + 1}"}
        holders: dict[str, Any] = {"properties": {"p": reference}, "anyOf": [reference, TEXT]}
        return {keyword: holders.get(keyword, [reference] if keyword == "allOf" else reference)}

    chain = {f"d{n}": link(n) for n in range(1200)}

    assert of({"$ref": "#/$defs/d0"}, dialect, beside={"$defs": chain})


def test_names_that_a_recursive_definition_requires_are_looked_up() -> None:
    """Schemas have thousands of names. A search in a list would compare each name with all others."""

    def compared(count: int) -> int:
        required, listed = ([ComparedText(f"name_{at}") for at in range(count)] for _ in range(2))
        properties: dict[Any, Any] = {**dict.fromkeys(listed, TEXT), "n": {"$ref": "#/$defs/d"}}
        node = {"type": "object", "properties": properties, "required": required}
        schema = {"type": "object", "$defs": {"d": node}, "properties": {"a": {"$ref": "#/$defs/d"}}}
        return count_comparisons(lambda: clean_schema(schema, GEMINI_JSON))

    assert compared(400) < 5 * compared(100) + 100
