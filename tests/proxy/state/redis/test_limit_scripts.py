"""Tests of what can be read from the ledger's scripts. Real servers run them in ``tests/process/state``."""

from __future__ import annotations

import re

import pytest

from proxy.state.redis import limit_scripts
from proxy.state.redis.scripts import Script

SCRIPTS = {name: value for name, value in vars(limit_scripts).items() if isinstance(value, Script)}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_no_number_becomes_a_text_in_luas_own_way(script: Script) -> None:
    """Lua writes 14 digits, and a time in microseconds has 16. ``%.0f`` writes all of them."""
    written = re.findall(r"redis\.call\('(?:SET|ZADD)', [^,]+, ([a-z.]+)\(", script.text)

    assert "tostring" not in script.text
    assert set(written) <= {"text", "string.format"}
    assert len(written) == len(re.findall(r"'(?:SET|ZADD)'", script.text))


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_script_touches_only_the_keys_that_it_is_given(script: Script) -> None:
    """A server in cluster mode has to know them in advance."""
    first = re.findall(r"redis\.call\('(?!TIME)[A-Z]+', ([^,)]+)", script.text)

    assert first
    assert all(re.fullmatch(r"KEYS\[.+\]|key|KEYS\[i\]", one) for one in first), first


def test_scripts_differ() -> None:
    assert len({script.digest for script in SCRIPTS.values()}) == len(SCRIPTS) >= 6
