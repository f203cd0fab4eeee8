"""Combine schemas that are already written in the provider's dialect: as a choice, with null, or with annotations."""

from __future__ import annotations

from dataclasses import replace

from sanitizers.schemas.context import Flat, Location, RewriteContext
from sanitizers.schemas.descriptions import described
from sanitizers.schemas.notes import Schema
from sanitizers.schemas.values import as_json, distinct
from sanitizers.schemas.write import Writer

_SHORT = 200
"""The longest description, in characters, that is repeated in every branch of a choice."""


class Alternatives:
    """Combines the rewritten parts of one tool's schema."""

    def __init__(self, context: RewriteContext, writer: Writer) -> None:
        self._context = context
        self._dialect = context.dialect
        self._writer = writer

    def choose(self, nodes: list[Schema], said: Flat) -> Schema:
        """Return *nodes* as a choice, with the annotations *said* in the branches' descriptions.

        In a dialect without choices, the first node stays, and its description names the others.
        """
        if not self._dialect.choices:
            self._context.note("one_type_left", said.location, kept=False)
            told = tuple(f"May also be: {as_json(_bare(node, nodes[0]))}" for node in nodes[1:])
            return self.over(nodes[0], replace(said, words=(*said.words, *told)))
        if said.schema or said.words:
            self._context.note("any_of_alone", said.location)
        words = self._writer.description_of(said)
        return _choice(
            [
                _with_description(node, words, first=at == 0 or len(words) <= _SHORT)
                for at, node in enumerate(nodes)
            ]
        )

    def over(self, node: Schema, said: Flat) -> Schema:
        """Return *node* with the annotations *said* from outside, which override its own."""
        if "anyOf" in node:
            return self.choose(node["anyOf"], said) if said.schema or said.words else node
        own = {"description": node["description"]} if "description" in node else {}
        return {**node, **self._writer.said(replace(said, schema={**own, **said.schema}))}

    def only_null(self, flat: Flat) -> Schema:
        """Return a schema for null. A dialect without null gets a text that is described as always null."""
        said = flat.split()[1]
        if self._dialect.null != "words":
            return {"type": "null", **self._writer.said(said)}
        self._context.note("nullable", flat.location, kept=False)
        return {"type": "string", **self._writer.said(replace(said, words=(*said.words, "Always null.")))}

    def nullable(self, out: Schema, location: Location) -> Schema:
        """Return *out* with null allowed too. A dialect without null gets this in the description alone."""
        if out.get("type") == "null":
            return out
        if self._dialect.null == "words":
            self._context.note("nullable", location, kept=False)
            return {**out, "description": described(out.get("description"), ["May be null."])}
        if out.keys() == {"anyOf"}:
            if self._dialect.null == "nullable":
                return _choice([self.nullable(branch, location) for branch in out["anyOf"]])
            return {"anyOf": [*out["anyOf"], {"type": "null"}]}
        if self._dialect.null == "nullable":
            return {**out, "nullable": True}
        return {"anyOf": [out, {"type": "null"}]}


def _choice(nodes: list[Schema]) -> Schema:
    """Return a choice of *nodes* without duplicates, which rewriting may have made, or the only node left."""
    unique = distinct(nodes)
    return {"anyOf": unique} if len(unique) > 1 else unique[0]


def _with_description(node: Schema, words: str, *, first: bool) -> Schema:
    """Return *node* with *words* before its own description. A described node gets *words* only if *first*."""
    own = node.get("description")
    if not words or words == own or (own and not first):
        return node
    return {**node, "description": f"{words} {own}" if own else words}


def _bare(node: Schema, first: Schema) -> Schema:
    """Return *node* without its description if the *first* branch has the same description."""
    if node.get("description") and node.get("description") == first.get("description"):
        return {name: value for name, value in node.items() if name != "description"}
    return node
