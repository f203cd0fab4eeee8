"""References that lead to one another: bounded in time, whatever a client sends."""

from __future__ import annotations

from sanitizers.schemas import GEMINI, clean_schema, references


def test_a_ring_of_definitions_is_looked_at_in_bounded_steps() -> None:
    """Each of a thousand leads to all others; beyond the bound a reference counts as one that leads back."""
    ring = {
        f"d{at}": {"type": "object", "properties": {"n": {"$ref": f"#/$defs/d{(at + 1) % 1000}"}}}
        for at in range(1000)
    }
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": ring}
    found = references.References(schema)

    recursive = [found.is_recursive(target, strictly=False) for target in ring.values()]

    assert all(recursive)
    assert found._steps <= references._MOST_STEPS + len(ring)
    assert clean_schema(schema, GEMINI).schema["type"] == "object"


def test_properties_that_are_none() -> None:
    """What is merged may say that it has no properties."""
    schema = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "properties": None,
        "allOf": [{"properties": {"x": {"type": "string"}}}],
    }

    assert clean_schema(schema, GEMINI).schema["type"] == "object"
