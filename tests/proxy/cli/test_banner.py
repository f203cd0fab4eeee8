"""Tests of the banner that ``turnright serve`` prints at the start."""

from __future__ import annotations

from typing import Any

import pytest

from proxy import __version__
from proxy.cli.banner import Started, banner
from proxy.config import load_settings
from tests.proxy.config.samples import text_of

KEY = "sk-0123456789"
ENVIRON = {"GEMINI_API_KEY": KEY}
STARTED = Started("turnright", "my.yaml", 80)
URL = "http://127.0.0.1:4000/v1"


def shown(
    environ: dict[str, str] = ENVIRON,
    url: str = URL,
    config: str | None = "my.yaml",
    columns: int = 80,
    **file: Any,
) -> str:
    """Return the banner without colours, for the configuration *file* or, without one, for *environ*."""
    settings = load_settings(text_of(**file) if file else None, environ).settings
    return banner(settings, environ, Started("turnright", config, columns), url, colours=False)


def entry(name: str, **params: Any) -> dict[str, Any]:
    """Return an entry of the model list."""
    return {"model_name": name, "litellm_params": {"model": "gemini/gemini-2.5-pro", **params}}


def test_banner_of_the_environment() -> None:
    """Without a file the banner shows addresses, models, the variables of keys and the next steps."""
    assert shown(config=None).splitlines() == [
        "",
        f"turnright {__version__} is ready.",
        "  for clients    http://127.0.0.1:4000/v1",
        "  page           http://127.0.0.1:4000/ui",
        "  clients' key   none is asked for; a client that wants one takes any text",
        "  models         gemini/*",
        "  keys found     gemini (GEMINI_API_KEY)",
        "  kept           stored responses and conversations of the Responses API, for 7",
        "                 days after their last use; at most 256 MiB, and 64 MiB of one",
        "                 key; a restart loses them",
        "  next           Give a client the first address and the name of a model.",
        "                 turnright models lists the models. Ctrl-C ends the process.",
        "",
    ]


@pytest.mark.parametrize(
    ("line", "given"),
    [
        (
            "left out       b (NOT_THERE not set)",
            {"model_list": [entry("a"), entry("b", api_key="os.environ/NOT_THERE")]},
        ),
        (
            "models         m0, m1, m2, m3, m4, m5 and 2 more",
            {"model_list": [entry(f"m{n}") for n in range(8)]},
        ),
        ("keys found     none", {"model_list": [entry("a")]}),
        (
            "clients' key   required: the master key, team-a",
            {
                "model_list": [entry("a")],
                "general_settings": {
                    "master_key": KEY,
                    "keys": [{"name": "team-a", "key": "sk-team-a-0123"}],
                },
            },
        ),
        ("turnright models --config my.yaml lists the models.", {"model_list": [entry("a")]}),
    ],
    ids=["left out", "many models", "no keys", "clients' keys", "the file"],
)
def test_banner_of_a_file(line: str, given: dict[str, Any]) -> None:
    """The banner for a file shows its models, those left out and if clients need a key, but no key's value."""
    text = shown(**given)

    assert line in text
    assert KEY not in text


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_lines_break_between_words_at_the_terminal_s_width(columns: int) -> None:
    """The banner's lines break between words, since a narrow terminal would break a line within a word.

    A word that is longer than the width stays whole.
    """
    entries = [entry(f"a-model-of-quite-a-long-name-{n}", api_key=f"os.environ/KEY_{n}") for n in range(5)]
    text = shown({"KEY_0": KEY, "KEY_1": KEY + "b"}, columns=columns, model_list=entries)

    assert max(map(len, text.splitlines())) <= columns + 20 * (columns == 40)
    assert text.split() == shown({"KEY_0": KEY, "KEY_1": KEY + "b"}, columns=900, model_list=entries).split()


def test_page_that_is_off_is_not_named() -> None:
    """The banner does not show the inspector page's address if the page is switched off."""
    assert "/ui" not in shown(model_list=[entry("a")], general_settings={"ui": False})


@pytest.mark.parametrize(
    ("listening", "named"),
    [
        ("http://0.0.0.0:4000/v1", "http://127.0.0.1:4000/v1"),
        ("http://[::]:4000/v1", "http://[::1]:4000/v1"),
        ("http://10.0.0.7:4000/v1", "http://10.0.0.7:4000/v1"),
    ],
)
def test_address_is_one_that_clients_can_use(listening: str, named: str) -> None:
    """The banner names the loopback address of a server that listens on all addresses."""
    assert f"for clients    {named}\n" in shown(url=listening)


def test_colours_are_added_where_they_are_wanted() -> None:
    """The banner colours the address where colours are wanted."""
    settings = load_settings(None, ENVIRON).settings

    assert f"\033[1;36m{URL}\033[0m" in banner(settings, ENVIRON, STARTED, URL, colours=True)
