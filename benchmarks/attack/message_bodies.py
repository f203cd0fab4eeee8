"""Hostile requests of Anthropic's Messages API as bytes, in families as :mod:`benchmarks.attack.bodies` has them."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.attack.bodies import Family, counted, filled, repeated

_TURNS = b'"max_tokens":64,"messages":[{"role":"user","content":"Go."},'
_BLOCKS = _TURNS + b'{"role":"assistant","content":['
_OF_USER = b'"max_tokens":64,"messages":[{"role":"user","content":['
_BLOCKS_END = b']},{"role":"user","content":"And?"}]'
_USE = b'{"type":"tool_use","id":"%s","name":"look","input":{}}'
_RESULT = b'{"type":"tool_result","tool_use_id":"%s","content":"1"}'

MESSAGES: Mapping[str, Family] = {
    "short messages": repeated(_TURNS, b'{"role":"user","content":"a"}', b"]"),
    "inline systems": repeated(_TURNS, b'{"role":"system","content":"a"}', b"]"),
    "empty objects as messages": repeated(_TURNS, b"{}", b"]"),
    "calls without results": counted(_BLOCKS, _USE.replace(b"%s", b"c%d"), _BLOCKS_END),
    "identical illegal ids": repeated(_BLOCKS, _USE % b"?!", _BLOCKS_END),
    "results without calls": counted(_OF_USER, _RESULT.replace(b"%s", b"c%d"), b"]}]"),
    "results in messages of their own": counted(
        _TURNS, b'{"role":"user","content":[' + _RESULT.replace(b"%s", b"c%d") + b"]}", b"]"
    ),
    "blank texts": repeated(_OF_USER, b'{"type":"text","text":" "}', b"]}]"),
    "texts of one answer": repeated(_BLOCKS, b'{"type":"text","text":"a"}', _BLOCKS_END),
    "thoughts between calls": counted(
        _BLOCKS,
        b'{"type":"thinking","thinking":"","signature":"EqQB"},' + _USE.replace(b"%s", b"c%d"),
        _BLOCKS_END,
    ),
    "a long envelope": filled(
        _BLOCKS + b'{"type":"thinking","thinking":"","signature":"tr1_', b"AAAA", b'"}' + _BLOCKS_END
    ),
    "blocks of unknown types": counted(_BLOCKS, b'{"type":"x%d"}', _BLOCKS_END),
    "blocks of files": counted(
        _OF_USER, b'{"type":"document","source":{"type":"file","file_id":"file_%d"}}', b"]}]"
    ),
    "searches by the server": counted(
        _BLOCKS, b'{"type":"server_tool_use","id":"s%d","name":"web_search","input":{}}', _BLOCKS_END
    ),
    "cache marks": repeated(
        _OF_USER, b'{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}', b"]}]"
    ),
    "many images": repeated(
        _OF_USER,
        b'{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}',
        b"]}]",
    ),
    "system prompts": repeated(
        b'"max_tokens":64,"messages":[{"role":"user","content":"a"}],"system":[',
        b'{"type":"text","text":"a"}',
        b"]",
    ),
    "many tools": counted(
        b'"max_tokens":64,"messages":[{"role":"user","content":"a"}],"tools":[',
        b'{"name":"look%d","input_schema":{"type":"object"}}',
        b"]",
    ),
    "half surrogates": filled(_OF_USER + b'{"type":"text","text":"', b"\\ud83d x", b'"}]}]'),
    "nested to the limit": repeated(
        _BLOCKS + b'{"type":"x","a":[', b"[" * 90 + b"]" * 90, b"]}" + _BLOCKS_END
    ),
}
"""Families of requests of Anthropic's Messages API."""
