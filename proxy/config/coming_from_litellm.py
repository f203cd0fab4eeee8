"""Writes ``docs/coming-from-litellm.md`` from the tables that the code uses.

``python -m proxy.config.coming_from_litellm`` prints the page, and ``make docs`` writes it. A test compares the printed
page with the file.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping

from proxy.config.file_variables import SECTION as VARIABLES
from proxy.config.ignored_keys import IGNORED
from proxy.config.litellm_settings import SECTION, TAKEN
from proxy.config.price_fields import PRICE_NAMES
from proxy.config.refused_keys import GUARD_WORDS, GUARDS, MISSING
from proxy.config.refused_values import CALLBACKS
from proxy.config.schema.settings import SECTIONS

_SECTIONS = (
    "",
    "model_list[]",
    "model_list[].litellm_params",
    "model_list[].model_info",
    "credential_list[]",
    "credential_list[].credential_values",
    "router_settings",
    SECTION,
    "general_settings",
)

_HEAD = """\
# Coming from LiteLLM

turnright reads the configuration of the LiteLLM proxy. This page says what becomes of each key. It is made from the
tables in `proxy/config` by `make docs`, so that it is what the code does.

## What to do

1. `turnright check --config config.yaml` shows the faults and the warnings, each with its file and line.
2. A warning needs no change. It names a key that has no effect here.
3. A fault says why the key is refused. Remove the key only where nothing depends on it.
4. `turnright serve --config config.yaml` serves the rest under the same model names.

Clients keep their base URL's path (`/v1`) and their keys. Virtual keys of LiteLLM's database are not known here: write
them into `general_settings.keys`, each with a name. [Keys](keys.md#coming-from-litellms-virtual-keys) has a table of
their fields.

## How a key is judged

| a key | what happens |
|---|---|
| of turnright | it is taken |
| that guards something which turnright has not | it is refused, unless it is set to nothing |
| of a feature that turnright has not | it is refused, unless it is set to nothing |
| in the table of ignored keys | one warning |
| nearly one of turnright's | it is refused as a misspelling |
| in no table, whose name may be a guard's | it is refused, unless it is set to nothing |
| in no table, in a section of LiteLLM | one warning |
| in `model_info`, and in no table | it is kept and shown, without a warning, whatever its name |
| within a mapping that no table knows | it is refused where it may be a guard's |
| in no table, in a section of turnright | it is refused |
| at the top, beginning with `x-`, `_` or `.` | one warning, since anchors stand there |

A name may be a guard's where it holds one of these words: {words}. A list of what is allowed is never nothing: an
empty one allows nothing.

## Variables

`os.environ/NAME` and `${{NAME}}` stand for a variable's value, in any text of turnright's keys, at any depth. A
variable that is not set, or is empty, takes out its model alone: the model answers 503, and `/v1/models` does not list
it. With no model left the start is refused. `--strict` refuses each such variable. A reference within a longer text,
such as `Bearer ${{NAME}}`, is not resolved: in a credential or a header it is a warning.

The file's own `environment_variables` count for references where the environment has no variable of that name. They are
not set for the process, so no library reads them: name a provider's key in `api_key`.

A key of clients and `store.url` are never taken literally where they look like a reference, such as `$NAME`,
`sk-${{NAME}}` or `env/NAME`. Such a value is a fault. An empty `api_key` of a provider is none, and
so is any other empty credential. A key without a value has its default.

## Names of models

A name without a provider is found in litellm's own table: `gpt-4o` is OpenAI's, `claude-sonnet-4-5` is Anthropic's. A
name that no table knows needs an `api_base`. `"*"` may stand for any model, for `openai/*`, or for one model.

"""


def page() -> str:
    """Return the page as Markdown."""
    words = ", ".join(f"`{word}`" for word in GUARD_WORDS)
    return "\n".join([_HEAD.format(words=words), *_taken(), *_ignored(), *_refused(), *_callbacks()])


def _taken() -> Iterator[str]:
    yield "## Taken\n"
    yield "[Contracts](contracts.md) has the defaults, and the [manual](../deploy/README.md) the meanings.\n"
    yield "| section | keys |\n|---|---|"
    for where in _SECTIONS:
        section = SECTIONS.get(where)
        fields = TAKEN if section is None else section.model_fields
        yield f"| {_name(where)} | {_keys(fields if where else (*fields, VARIABLES))} |"
    yield ""


def _ignored() -> Iterator[str]:
    yield "## Ignored\n"
    yield "Each of these keys is a warning. A `*` stands for any letters.\n"
    yield "| section | keys | reason |\n|---|---|---|"
    yield from _rows(IGNORED)
    yield "\nPrices are read from `model_info`, or else from `litellm_params`, under these names:"
    yield f"{', '.join(f'`{name}`' for name in PRICE_NAMES)}."
    yield "Those of tokens may end in `_above_200k_tokens` or another number, and then in `_priority` or `_flex`."
    yield ""


def _refused() -> Iterator[str]:
    yield "## Refused, since it guards something\n"
    yield "Remove such a key only where nothing depends on it.\n"
    yield "| section | keys | what it does |\n|---|---|---|"
    yield from _rows(GUARDS)
    yield "\n`router_settings.enable_tag_filtering` is refused where deployments of one name have `tags`."
    yield "Give each of them a name of its own. `router_settings.optional_pre_call_checks` is refused where one of the"
    yield "checks enforces a limit, but for `enforce_model_rate_limits`: `rpm` and `tpm` are obeyed in any case."
    yield "`router_settings.default_litellm_params` is refused where it sets what turnright"
    yield "knows.\n"
    yield "## Refused, since turnright has not the feature\n"
    yield "Remove such a key, and what needs it.\n"
    yield "| section | keys | what it does |\n|---|---|---|"
    yield from _rows(MISSING)
    yield ""


def _callbacks() -> Iterator[str]:
    yield "## Callbacks\n"
    yield "Names in `litellm_settings.callbacks` are ignored with the key, since most only log. These are refused."
    yield "The same names are refused in the other lists of callbacks, but for code of yours, which only logs there.\n"
    yield "| callbacks | reason |\n|---|---|"
    reasons: dict[str, list[str]] = {}
    for name, reason in CALLBACKS.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"| {_keys(names)} | {reason} |"
    yield ""


def _rows(table: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for where, rows in table.items():
        reasons: dict[str, list[str]] = {}
        for key, reason in rows.items():
            reasons.setdefault(reason, []).append(key)
        for reason, keys in reasons.items():
            yield f"| {_name(where)} | {_keys(keys)} | {reason} |"


def _name(where: str) -> str:
    return f"`{where}`" if where else "the top"


def _keys(keys: Collection[str]) -> str:
    return "; ".join(f"`{key}`" for key in sorted(keys))


if __name__ == "__main__":
    sys.stdout.write(page())
