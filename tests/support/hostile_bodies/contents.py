"""Builders of hostile requests of Gemini's API: many contents, parts, declarations and settings of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.builders import PNG_URL
from tests.support.hostile_bodies.making import DEEP, Body, Builder, flat, many, nested

GEMINI_API = "/v1beta/models/{model}:generateContent"
"""The path of these requests. It names the model, which their bodies do not."""

ENVELOPE = "tr1_QUJD"
"""The beginning of an envelope that holds thoughts of Claude. Nobody can open this one."""

_USER = {"role": "user", "parts": [{"text": "Go."}]}


def _contents(size: int, content: Callable[[int], Any], *before: dict[str, Any]) -> Body:
    return {"contents": [_USER, *before, *many(size, content)]}


def _turns(size: int, *parts: Callable[[int], dict[str, Any]]) -> Body:
    """Return a history whose model says *parts* in each turn, which the user answers."""
    return {
        "contents": [
            _USER,
            *flat(size, lambda at: [_model(*(one(at) for one in parts)), _user(_response(at))]),
        ]
    }


def _parts(size: int, part: Callable[[int], dict[str, Any]], *before: dict[str, Any]) -> Body:
    """Return a history with one content of the model, which has many parts."""
    return {"contents": [_USER, _model(*before, *many(size, part)), _USER]}


def _answered(size: int, write: Callable[[list[Any]], list[Any]], *, named: bool = True) -> Body:
    """Return a history with one content of many calls. *write* makes contents of their responses."""
    pairs = many(size, lambda at: [_call(at, named=named), _response(at, named=named)])
    return {
        "contents": [_USER, _model(*(call for call, _ in pairs)), *write([response for _, response in pairs])]
    }


def _of_user(size: int, part: Callable[[int], dict[str, Any]]) -> Body:
    return {"contents": [_user(*many(size, part))]}


def _with(fields: Mapping[str, Any]) -> Body:
    return {"contents": [_USER], **fields}


def _declared(size: int, declaration: Callable[[int], dict[str, Any]], **fields: Any) -> Body:
    return _with({"tools": [{"functionDeclarations": many(size, declaration)}], **fields})


def _model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def _user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def _call(at: int, *, named: bool = True, signature: str = "", **fields: Any) -> dict[str, Any]:
    given = {**({"id": f"c{at}"} if named else {}), "name": "f", "args": {}, **fields}
    return {"functionCall": given, **({"thoughtSignature": signature} if signature else {})}


def _response(at: int, *, named: bool = True, **fields: Any) -> dict[str, Any]:
    given = {**({"id": f"c{at}"} if named else {}), "name": "f", "response": {"output": "1"}, **fields}
    return {"functionResponse": given}


def _snake_turn(at: int) -> list[dict[str, Any]]:
    call, response = {"id": f"c{at}", "name": "f"}, {"id": f"c{at}", "name": "f", "response": {"a": 1}}
    return [
        _model({"function_call": call, "thought_signature": "QUJD"}),
        _user({"function_response": response}),
    ]


def _png() -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": PNG_URL.partition(",")[2]}}


def _nullable(inner: Any) -> dict[str, Any]:
    return {"type": "OBJECT", "nullable": True, "properties": {"a": inner}}


CONTENTS: Mapping[str, Builder] = {
    "contents_of_the_user": lambda size: _contents(size, lambda _: _USER),
    "contents_of_the_model": lambda size: _contents(size, lambda _: _model({"text": "a"})),
    "contents_without_roles": lambda size: _contents(size, lambda _: {"parts": [{"text": "a"}]}),
    "contents_of_other_roles": lambda size: _contents(
        size, lambda at: {"role": f"r{at}", "parts": [{"text": "a"}]}
    ),
    "contents_without_parts": lambda size: _contents(size, lambda _: _model()),
    "contents_that_are_empty": lambda size: _contents(size, lambda _: {}),
    "parts_of_the_user": lambda size: _of_user(size, lambda _: {"text": "a"}),
    "parts_of_the_model": lambda size: _parts(size, lambda _: {"text": "a"}),
    "parts_that_are_blank": lambda size: _of_user(size, lambda _: {"text": ""}),
    "parts_without_data": lambda size: _of_user(size, lambda _: {}),
    "parts_of_two_kinds": lambda size: _parts(size, lambda at: {"text": "a", **_call(at)}),
    "parts_in_both_spellings": lambda size: _of_user(
        size, lambda _: {"inlineData": _png()["inlineData"], "inline_data": {}}
    ),
    "parts_of_many_fields": lambda size: _of_user(
        1, lambda _: {"text": "a", **{f"x{at}": 1 for at in range(size // 10)}}
    ),
    "thoughts_of_one_turn": lambda size: _parts(size, lambda at: {"text": f"t{at}", "thought": True}),
    "thoughts_before_each_call": lambda size: _turns(
        size, lambda at: {"text": f"t{at}", "thought": True, "thoughtSignature": "QUJD"}, _call
    ),
    "thoughts_alone": lambda size: _contents(size, lambda at: _model({"text": f"t{at}", "thought": True})),
    "calls_of_functions": lambda size: _turns(size, _call),
    "calls_of_functions_in_one_content": lambda size: _parts(size, _call),
    "calls_of_functions_without_ids": lambda size: _answered(
        size, lambda responses: [_user(*responses)], named=False
    ),
    "calls_of_functions_without_responses": lambda size: _contents(size, lambda at: _model(_call(at))),
    "calls_of_functions_with_one_id": lambda size: _parts(size, lambda _: _call(0, id="?!")),
    "calls_of_functions_with_long_names": lambda size: _parts(size, lambda at: _call(at, name="n" * 200)),
    "calls_of_functions_without_names": lambda size: _parts(size, lambda at: _call(at, name="")),
    "calls_of_functions_with_deep_arguments": lambda size: _turns(
        size, lambda at: _call(at, args=nested(1, DEEP - 8, lambda inner: {"a": inner}))
    ),
    "calls_of_functions_with_texts_for_arguments": lambda size: _turns(
        size, lambda at: _call(at, args='{"a": [')
    ),
    "calls_of_functions_with_signatures": lambda size: _turns(size, lambda at: _call(at, signature="QUJD")),
    "calls_of_functions_of_the_user": lambda size: _of_user(size, _call),
    "calls_of_functions_in_snake_case": lambda size: {"contents": [_USER, *flat(size, _snake_turn)]},
    "envelopes_of_contents": lambda size: _turns(size, lambda at: _call(at, signature=ENVELOPE)),
    "envelopes_of_contents_in_one_turn": lambda size: _parts(
        size, lambda at: _call(at, signature="tr1/QUJD")
    ),
    "envelopes_of_contents_that_are_long": lambda size: _turns(
        9, lambda at: _call(at, signature="tr1_" + "A" * (size // 9 // 4 * 4))
    ),
    "responses_without_calls": lambda size: _of_user(size, _response),
    "responses_of_one_call": lambda size: {
        "contents": [_USER, _model(_call(0)), _user(*many(size, lambda _: _response(0)))]
    },
    "responses_by_name": lambda size: {
        "contents": [
            _USER,
            _model(*many(size // 2, lambda at: _call(at, named=False))),
            _user(*many(size // 2, lambda at: _response(at, name=f"g{at}", named=False))),
        ]
    },
    "responses_behind_texts": lambda size: {
        "contents": [_USER, *flat(size, lambda at: [_model(_call(at)), _user({"text": "a"}, _response(at))])]
    },
    "responses_between_texts": lambda size: _of_user(
        size, lambda at: _response(at) if at % 2 else {"text": "a"}
    ),
    "responses_out_of_order": lambda size: _answered(size, lambda found: [_user(*reversed(found))]),
    "responses_in_contents_of_their_own": lambda size: _answered(
        size, lambda found: [_user(one) for one in found]
    ),
    "responses_with_media": lambda size: {
        "contents": [_USER, _model(_call(0)), _user(_response(0, parts=many(size, lambda _: _png())))]
    },
    "responses_of_many_fields": lambda size: {
        "contents": [
            *(_USER, _model(_call(0))),
            _user(_response(0, response={f"k{at}": "v" for at in range(size // 12)})),
        ]
    },
    "media_of_contents": lambda size: _of_user(size, lambda _: _png()),
    "media_of_contents_by_address": lambda size: _of_user(
        size, lambda at: {"fileData": {"mimeType": "image/png", "fileUri": f"https://192.0.2.1/{at}.png"}}
    ),
    "media_of_contents_at_google": lambda size: _of_user(
        size, lambda at: {"fileData": {"mimeType": "application/pdf", "fileUri": f"files/{at}"}}
    ),
    "media_of_contents_of_the_model": lambda size: _parts(size, lambda _: _png()),
    "code_of_contents": lambda size: _parts(
        size,
        lambda at: (
            {"executableCode": {"language": "PYTHON", "code": "1"}}
            if at % 2
            else {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
        ),
    ),
    "instructions_of_contents": lambda size: _with(
        {"systemInstruction": {"parts": many(size, lambda _: {"text": "a"})}}
    ),
    "declarations": lambda size: _declared(
        size, lambda at: {"name": f"f{at}", "parameters": {"type": "OBJECT", "properties": {}}}
    ),
    "declarations_with_one_name": lambda size: _declared(size, lambda _: {"name": "f"}),
    "declarations_without_names": lambda size: _declared(size, lambda _: {}),
    "declarations_of_json_schemas": lambda size: _declared(
        size, lambda at: {"name": f"f{at}", "parameters_json_schema": {"type": "object"}}
    ),
    "declarations_that_are_nullable": lambda size: _declared(
        size, lambda at: {"name": f"f{at}", "parameters": nested({"type": "STRING"}, 20, _nullable)}
    ),
    "declarations_of_many_properties": lambda size: _declared(
        1,
        lambda at: {
            "name": f"f{at}",
            "parameters": {
                "type": "OBJECT",
                "properties": {
                    f"p{n}": {"type": "STRING", "nullable": True, "format": "enum", "enum": ["a"]}
                    for n in range(size // 70)
                },
            },
        },
    ),
    "declarations_of_many_tools": lambda size: _with(
        {"tools": many(size, lambda at: {"function_declarations": [{"name": f"f{at}"}]})}
    ),
    "declarations_of_built_in_tools": lambda size: _with(
        {"tools": many(size, lambda _: {"googleSearch": {}})}
    ),
    "declarations_that_are_allowed": lambda size: _declared(
        size // 2,
        lambda at: {"name": f"f{at}"},
        toolConfig={
            "functionCallingConfig": {
                "mode": "any",
                "allowedFunctionNames": [f"f{at}" for at in range(size // 20)],
            }
        },
    ),
    "settings_of_safety": lambda size: _with(
        {"safetySettings": many(size, lambda _: {"category": "HARM", "threshold": "OFF"})}
    ),
    "settings_of_stops": lambda size: _with(
        {"generationConfig": {"stopSequences": many(size, lambda at: f"s{at}")}}
    ),
    "settings_of_modalities": lambda size: _with(
        {"generationConfig": {"responseModalities": many(size, lambda _: "TEXT")}}
    ),
    "settings_of_schemas": lambda size: _with(
        {
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": {
                    "type": "OBJECT",
                    "properties": {f"p{at}": {"type": "STRING"} for at in range(size // 24)},
                },
            }
        }
    ),
    "settings_that_nobody_knows": lambda size: _with(
        {"generation_config": {f"x{at}": 1 for at in range(size // 12)}}
    ),
    "labels": lambda size: _with({"labels": {f"k{at}": "v" for at in range(size // 12)}}),
}
"""Builders of hostile requests for :data:`GEMINI_API`, by the name of the family."""
