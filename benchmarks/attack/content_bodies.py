"""Hostile requests of Gemini's API as bytes, in families as :mod:`benchmarks.attack.bodies` has them."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.attack.bodies import Family, counted, filled, repeated

GEMINI_API = "/v1beta/models/{model}:generateContent"
"""The path of these requests. It names the model, which their bodies do not."""

_USER = b'{"role":"user","parts":[{"text":"Go."}]}'
_TURNS = b'"contents":[' + _USER + b","
_PARTS = _TURNS + b'{"role":"model","parts":['
_OF_USER = b'"contents":[{"role":"user","parts":['
_PARTS_END = b"]}," + _USER + b"]"
_CALL = b'{"functionCall":{"id":"%s","name":"look","args":{}}}'
_RESPONSE = b'{"functionResponse":{"id":"%s","name":"look","response":{"output":"1"}}}'
_DECLARED = b'"contents":[' + _USER + b'],"tools":[{"functionDeclarations":['

CONTENTS: Mapping[str, Family] = {
    "short contents": repeated(_TURNS, b'{"role":"user","parts":[{"text":"a"}]}', b"]"),
    "empty objects as contents": repeated(_TURNS, b"{}", b"]"),
    "empty objects as parts": repeated(_OF_USER, b"{}", b"]}]"),
    "calls without responses": counted(_PARTS, _CALL.replace(b"%s", b"c%d"), _PARTS_END),
    "calls without ids": repeated(_PARTS, b'{"functionCall":{"name":"look"}}', _PARTS_END),
    "identical illegal ids": repeated(_PARTS, _CALL % b"?!", _PARTS_END),
    "responses without calls": counted(_OF_USER, _RESPONSE.replace(b"%s", b"c%d"), b"]}]"),
    "responses in contents of their own": counted(
        _TURNS, b'{"role":"user","parts":[' + _RESPONSE.replace(b"%s", b"c%d") + b"]}", b"]"
    ),
    "responses by name": repeated(
        _OF_USER, b'{"functionResponse":{"name":"look","response":{"output":"1"}}}', b"]}]"
    ),
    "blank texts": repeated(_OF_USER, b'{"text":" "}', b"]}]"),
    "texts of one answer": repeated(_PARTS, b'{"text":"a"}', _PARTS_END),
    "thoughts between calls": counted(
        _PARTS, b'{"text":"a","thought":true},' + _CALL.replace(b"%s", b"c%d"), _PARTS_END
    ),
    "signed calls": counted(
        _PARTS, b'{"functionCall":{"id":"c%d","name":"look"},"thoughtSignature":"QUJD"}', _PARTS_END
    ),
    "a long envelope": filled(
        _PARTS + b'{"functionCall":{"id":"c","name":"look"},"thoughtSignature":"tr1_',
        b"AAAA",
        b'"}' + _PARTS_END,
    ),
    "parts of unknown kinds": counted(_PARTS, b'{"x%d":{}}', _PARTS_END),
    "parts of files": counted(
        _OF_USER, b'{"fileData":{"mimeType":"application/pdf","fileUri":"files/%d"}}', b"]}]"
    ),
    "many images": repeated(
        _OF_USER, b'{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}', b"]}]"
    ),
    "snake case": counted(
        _PARTS, b'{"function_call":{"id":"c%d","name":"look"},"thought_signature":"QUJD"}', _PARTS_END
    ),
    "system instructions": repeated(
        b'"contents":[' + _USER + b'],"systemInstruction":{"parts":[', b'{"text":"a"}', b"]}"
    ),
    "many declarations": counted(
        _DECLARED, b'{"name":"look%d","parameters":{"type":"OBJECT","properties":{}}}', b"]}]"
    ),
    "wide declaration": counted(
        _DECLARED + b'{"name":"look","parameters":{"type":"OBJECT","properties":{',
        b'"p%d":{"type":"STRING","nullable":true}',
        b"}}}]}]",
    ),
    "built-in tools": repeated(b'"contents":[' + _USER + b'],"tools":[', b'{"googleSearch":{}}', b"]"),
    "stop sequences": counted(
        b'"contents":[' + _USER + b'],"generationConfig":{"stopSequences":[', b'"s%d"', b"]}"
    ),
    "half surrogates": filled(_OF_USER + b'{"text":"', b"\\ud83d x", b'"}]}]'),
    "nested to the limit": repeated(_PARTS + b'{"x":[', b"[" * 90 + b"]" * 90, b"]}" + _PARTS_END),
}
"""Families of requests of Gemini's API."""
