"""Builders of hostile bodies with long lists and maps of parameters, and with many tool declarations."""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.builders import assistant, call, tool
from tests.support.hostile_bodies.making import Builder, asked, function, many, turns

LISTS: Mapping[str, Builder] = {
    "stops": lambda size: asked(stop=many(size, lambda at: f"s{at}")),
    "blank_stops": lambda size: asked(stop=many(size, lambda at: " ")),
    "stops_of_a_wrong_type": lambda size: asked(stop=many(size, lambda at: at)),
    "modalities": lambda size: asked(modalities=many(size, lambda at: f"m{at}")),
    "logit_bias": lambda size: asked(logit_bias={str(at): 1 for at in range(size // 12)}),
    "logit_bias_of_a_wrong_type": lambda size: asked(logit_bias={str(at): "x" for at in range(size // 12)}),
    "metadata": lambda size: asked(metadata={f"k{at}": "v" for at in range(size // 14)}),
    "unknown_fields": lambda size: asked(**{f"field_{at}": 1 for at in range(size // 18)}),
    "stream_options": lambda size: asked(
        stream=True, stream_options={f"k{at}": 1 for at in range(size // 12)}
    ),
    "audio": lambda size: asked(audio={f"k{at}": 1 for at in range(size // 12)}),
    "prediction": lambda size: asked(
        prediction={"type": "content", "content": many(size, lambda at: {"type": "text", "text": "x"})}
    ),
    "function_call_choice": lambda size: asked(function_call={f"k{at}": 1 for at in range(size // 12)}),
    "long_user": lambda size: asked(user="a.b-" * (size // 4)),
    "user_of_digits": lambda size: asked(user="+" + "1 " * (size // 2) + "x"),
    "user_with_many_at_signs": lambda size: asked(user="a@" * (size // 2)),
    "response_schema": lambda size: asked(
        response_format={
            "type": "json_schema",
            "json_schema": {
                "name": "r",
                "schema": {
                    "type": "object",
                    "properties": {f"p{at}": {"type": "string"} for at in range(size // 28)},
                },
            },
        }
    ),
}

TOOLS: Mapping[str, Builder] = {
    "tools": lambda size: asked(tools=many(size, lambda at: function(f"tool_{at}"))),
    "tools_of_one_name": lambda size: asked(tools=many(size, lambda at: function("same"))),
    "tools_with_illegal_names": lambda size: asked(tools=many(size, lambda at: function(f"a b{at}"))),
    "tools_with_schemas": lambda size: asked(
        tools=many(
            size,
            lambda at: function(f"t{at}", {"type": "object", "properties": {f"p{at}": {"const": at}}}),
        )
    ),
    "functions": lambda size: asked(functions=many(size, lambda at: {"name": f"f{at}"})),
    "tools_that_are_none": lambda size: asked(tools=many(size, lambda at: {})),
    "numbers_for_tools": lambda size: asked(tools=many(size, lambda at: at)),
    "calls_of_undeclared_tools": lambda size: turns(
        size, lambda at: [assistant(None, [call(f"c{at}", f"tool {at}")]), tool(f"c{at}", name=f"tool {at}")]
    ),
}
