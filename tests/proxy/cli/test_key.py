"""Tests of ``turnright key new``."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
import yaml

from proxy.cli.main import main
from proxy.config.schema.keys import FoundKey, digest_of
from tests.proxy.config.samples import settings_of


def _made(capsys: pytest.CaptureFixture[str], name: str) -> tuple[str, Any]:
    """Return the key and the entry that the command prints for *name*."""
    assert main(["key", "new", name]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    key, entry = lines
    [parsed] = yaml.safe_load(entry)
    return key, parsed


@pytest.mark.parametrize(
    "name", ["night-shift", "CI 2", "on", "5", "é: #x", '"quoted"', "[a]", "2027-01-01", "~", "a,b"]
)
def test_the_entry_is_valid_by_the_hash_of_the_key(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The printed entry loads, whatever the name, and makes the printed key valid."""
    key, entry = _made(capsys, name)
    general = settings_of(general_settings={"keys": [entry]}).general_settings

    assert general.find_key(digest_of(key.encode())) == FoundKey(name)
    assert key not in str(entry)


def test_a_key_has_256_random_bits(capsys: pytest.CaptureFixture[str]) -> None:
    """Each key is 32 random bytes in letters that a header takes."""
    keys = {_made(capsys, "ci")[0] for _ in range(20)}

    assert len(keys) == 20
    assert {len(base64.urlsafe_b64decode(key.removeprefix("tr-") + "=")) for key in keys} == {32}


def test_a_key_can_be_read_by_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` prints the name, the key and its hash."""
    assert main(["key", "new", "ci", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert shown == {
        "name": "ci",
        "key": shown["key"],
        "key_hash": f"sha256:{digest_of(shown['key'].encode())}",
    }


@pytest.mark.parametrize("name", ["", " ", " ci", "ci\n", "a\x1bb", "os.environ/NAME", "${NAME}"])
def test_a_name_that_the_file_would_refuse_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that the file cannot hold gives no key."""
    assert main(["key", "new", name]) == 2
    out, err = capsys.readouterr()

    assert out == ""
    assert err.startswith("turnright: NAME ")
