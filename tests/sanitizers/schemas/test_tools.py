"""Tests of cleaning a request's tools: changes, refusals, and the cache of cleaned schemas."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Change, Unrepairable
from sanitizers.schemas import DIALECTS, GEMINI, GEMINI_JSON, OPENAI, Target, clean_schema, clean_tools
from sanitizers.schemas import tools as module
from tests.sanitizers.schemas import drawn

GEMINI_TARGET = Target(GEMINI)
EITHER = Target(GEMINI, richer=GEMINI_JSON)
TARGETS = [Target(dialect) for dialect in DIALECTS.values()] + [EITHER]
CLEAN = {"type": "object", "properties": {"a": {"type": "string"}}}
SECRET = {
    "type": "object",
    "properties": {"a": {"const": "x", "description": "a secret"}, "b": {"const": "y"}},
}


def function(name: str, schema: Any = CLEAN, **more: Any) -> dict[str, Any]:
    """Return a function declaration whose parameters are *schema*."""
    return {"name": name, "parameters": schema, **more}


def tool(name: str, schema: Any = CLEAN, **more: Any) -> dict[str, Any]:
    """Return a tool that wraps a function declaration."""
    return {"type": "function", "function": function(name, schema, **more)}


NEEDED = [
    pytest.param("cohere", {"parameters"}, None, id="cohere"),
    pytest.param("template", {"description", "parameters"}, None, id="template"),
    pytest.param("mistral", {"description", "parameters"}, None, id="mistral"),
    pytest.param("template-mistral", {"description", "parameters"}, "strict", id="template-mistral"),
]
UNFILLED = [target for target in TARGETS if not (target.dialect.declared or target.dialect.never_null)]
EMPTY = {"description": "", "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(("name", "needed", "refused"), NEEDED)
@pytest.mark.parametrize("given", [{}, {"description": None, "parameters": None}], ids=["missing", "null"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_declaration_gets_the_fields_that_its_provider_needs(
    name: str, needed: set[str], refused: str | None, given: dict[str, Any], wrapped: bool
) -> None:
    """A missing or null field gets its empty form. A field that the provider refuses is left out."""
    bare = {"name": "f", "strict": True, **given}
    tools: list[Any] = [{"type": "function", "function": bare} if wrapped else bare]

    done = clean_tools(tools, Target(DIALECTS[name]))

    [made] = [entry["function"] if wrapped else entry for entry in done.tools]
    kept = {key: value for key, value in bare.items() if key != refused}
    assert {**kept, **{key: EMPTY[key] for key in needed}} == made
    assert [("replaced", 0, "declaration_form")] == [(c.kind, c.index, c.reason) for c in done.changes]
    assert clean_tools(done.tools, Target(DIALECTS[name])).tools is done.tools


def test_anthropic_takes_missing_parameters_and_no_null() -> None:
    """Anthropic's request writer fills in missing parameters, but passes null on, so null is replaced."""
    missing, null = [tool("f")], [tool("f", None)]
    del missing[0]["function"]["parameters"]

    assert clean_tools(missing, Target(DIALECTS["anthropic"])).tools is missing
    assert clean_tools(null, Target(DIALECTS["anthropic"])).tools == [tool("f", EMPTY["parameters"])]


def test_openai_needs_no_description_and_no_parameters() -> None:
    """For OpenAI a short declaration stays unchanged. A custom tool stays unchanged for every target."""
    short = [{"type": "function", "function": {"name": "f"}}]
    custom = [{"type": "custom", "custom": {"name": "f"}}]

    assert clean_tools(short, Target(OPENAI)).tools is short
    assert all(clean_tools(custom, target).tools is custom for target in TARGETS)


@pytest.mark.parametrize("target", UNFILLED)
@pytest.mark.parametrize(
    "tools", [[], [tool("f"), tool("g")], [function("f")], [{"name": "f"}, tool("g", None)]]
)
def test_clean_tools_come_back_as_the_same_list(tools: list[Any], target: Target) -> None:
    """A list of clean tools is returned as the same object, without changes."""
    done = clean_tools(tools, target)

    assert done.tools is tools
    assert done.changes == ()


def test_changes_name_the_tool_and_the_first_place() -> None:
    """Each reason has one change, which counts the further places. No change quotes a text of the schema."""
    tools = [tool("f"), tool("g", SECRET, strict=True, description="d")]

    done = clean_tools(tools, GEMINI_TARGET)

    assert done.tools[0] is tools[0]
    assert done.tools[1] == tool("g", clean_schema(SECRET, GEMINI).schema, strict=True, description="d")
    assert done.changes == (
        Change("tools", "replaced", 1, "const_as_enum", "/properties/a/const +1"),
        Change("tools", "replaced", 1, "enum_typed", "/properties/a/enum +1"),
    )
    assert "secret" not in repr(done.changes)


@pytest.mark.parametrize("wrapped", [False, True])
def test_functions_are_cleaned_like_tools(wrapped: bool) -> None:
    """The change's detail begins with the name of the legacy list, ``functions``."""
    empty = {"type": "object", "properties": {}, "minProperties": 0}
    made: Callable[..., dict[str, Any]] = tool if wrapped else function
    done = clean_tools([made("g", empty)], GEMINI_TARGET, "functions")

    assert done.tools == [made("g", {"type": "object", "minProperties": 0})]
    assert done.changes == (Change("tools", "replaced", 0, "empty_object", "functions/properties"),)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {}, "additionalProperties": False, "required": []},
    ],
)
def test_no_parameters_are_no_change(schema: dict[str, Any]) -> None:
    """Each of the usual ways to write a function without parameters stays unchanged."""
    tools = [tool("g", schema)]

    assert clean_tools(tools, GEMINI_TARGET) == (tools, ())


@pytest.mark.parametrize(
    ("schema", "reasons"),
    [
        pytest.param({"type": "object"}, ["properties_added"], id="missing"),
        pytest.param(
            {"type": "object", "required": None}, ["keyword_dropped", "properties_added"], id="null"
        ),
        pytest.param({"type": "object", "properties": {}}, [], id="there"),
    ],
)
def test_no_parameters_have_properties_for_openai(schema: dict[str, Any], reasons: list[str]) -> None:
    """OpenAI refuses an object that lists no properties."""
    tools = [tool("g", schema)]

    done = clean_tools(tools, Target(OPENAI))

    assert done.tools == [tool("g", {"type": "object", "properties": {}})]
    assert [change.reason for change in done.changes] == reasons
    assert (done.tools is tools) == (not reasons)


def types_that_lead_to_one_another() -> dict[str, Any]:
    """Return a schema of a kilobyte that grows to a hundred kilobytes when its references are resolved."""
    names = [f"t{at}" for at in range(6)]
    types = {
        name: {"type": "object", "properties": {other: {"$ref": f"#/$defs/{other}"} for other in names}}
        for name in names
    }
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/t0"}}, "$defs": types}


def endless(**more: Any) -> dict[str, Any]:
    """Return a schema that grows to a thousand million schemas when its references are resolved."""
    twice = {f"d{n}": {"properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "ab"}} for n in range(30)}
    return {"$ref": "#/$defs/d0", "$defs": twice, **more}


@pytest.mark.long
def test_tools_that_grow_beyond_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutually recursive types are written out in each tool. The limit holds for all tools together."""
    monkeypatch.setattr(module, "_MAX_WRITTEN", 200_000)
    schema = types_that_lead_to_one_another()
    many = [tool(f"f{at}", {**schema, "title": str(at)}) for at in range(4)]

    with pytest.raises(Unrepairable) as caught:
        clean_tools(many, Target(GEMINI))

    assert caught.value.rule == "schema_too_large"


def made_of(schema: dict[str, Any]) -> Any:
    """Return a tool's cleaned schema. A cached schema is the same object each time."""
    [cleaned] = clean_tools([tool("f", schema)], GEMINI_TARGET).tools
    return cleaned["function"]["parameters"]


@pytest.mark.long
@pytest.mark.parametrize(
    "schema", [SECRET, types_that_lead_to_one_another()], ids=["small", "large_when_cleaned"]
)
def test_cleaned_schemas_are_cached_by_their_content(schema: dict[str, Any]) -> None:
    """An equal schema gets its cleaned form from the cache, since large schemas take long to clean."""
    again = copy.deepcopy(schema)

    assert made_of(schema) is made_of(again)


@pytest.mark.long
def test_a_cached_refusal_holds_no_schema() -> None:
    """The traceback of a cached refusal would keep the schema in memory."""
    refused = module._outcome(endless(), GEMINI_TARGET)

    assert isinstance(refused, Unrepairable)
    assert refused.__traceback__ is None


def test_the_first_declaration_of_a_name_counts() -> None:
    """Google refuses a second declaration of the same name."""
    tools = [tool("f"), tool("g"), tool("f", SECRET)]

    done = clean_tools(tools, GEMINI_TARGET)

    assert done.tools == tools[:2]
    assert done.changes == (Change("tools", "dropped", 2, "duplicate_declaration", "tools"),)


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [
        pytest.param({"const": "a"}, GEMINI, id="nothing_lost"),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "string"}}, GEMINI_JSON, id="less_lost"
        ),
        pytest.param({"type": "string", "pattern": "a", "not": {}}, GEMINI, id="more_lost"),
        pytest.param({"type": "string", "not": {}}, GEMINI, id="as_much_lost"),
    ],
)
def test_the_dialect_that_loses_less_is_chosen(schema: Any, dialect: Any) -> None:
    """The target's own dialect is chosen unless the richer dialect loses less."""
    parameters = {"type": "object", "properties": {"a": schema}}

    [cleaned] = clean_tools([tool("f", parameters)], EITHER).tools

    assert cleaned == tool("f", clean_schema(parameters, dialect).schema)


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 100_000])
def test_a_refusal_names_the_place_in_this_request(size: int) -> None:
    """A refusal from the cache names the place in the current request too."""
    schema = endless(description="d" * size)

    for index in (0, 2):
        with pytest.raises(Unrepairable) as caught:
            clean_tools([*(tool(f"t{n}") for n in range(index)), tool("f", schema)], GEMINI_TARGET)

        assert (caught.value.rule, caught.value.param) == (
            "schema_too_large",
            f"tools[{index}].function.parameters",
        )


@given(st.lists(st.one_of(drawn.roots, drawn.junk), max_size=3), st.sampled_from(TARGETS))
def test_a_cached_schema_equals_a_fresh_one(schemas: list[dict[str, Any]], target: Target) -> None:
    """The cache has a schema's content as its key, and no caller changes a cached schema."""
    tools = [tool(f"f{at}", schema) for at, schema in enumerate(schemas)]
    before = copy.deepcopy(tools)
    try:
        first = clean_tools(tools, target)
    except Unrepairable:
        return
    again = clean_tools(before, target)

    assert tools == before
    assert again == first
    assert (first.tools is tools) == (not first.changes)
    assert clean_tools(first.tools, target).changes == ()


def test_a_schema_with_a_huge_number_is_cleaned_each_time() -> None:
    """Orjson cannot write such a number, so the schema has no key in the cache."""
    schema = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 10**30, "const": 10**30}}}

    [cleaned] = clean_tools([tool("f", schema)], GEMINI_TARGET).tools

    assert cleaned["function"]["parameters"]["properties"]["a"]["maximum"] == 10**30
