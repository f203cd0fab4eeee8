"""Build histories as agents send them, from texts on every machine: Python's library, headers, litellm's table.

None of these texts was used to fit the estimator's weights. A seed chooses the contents of a history. The texts come
from the installed Python, so figures differ a little between versions.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import random
import sysconfig
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import orjson

from benchmarks.sanitize import History

_SYSTEM = (
    "You are a coding agent that works in a repository with the tools it is given. Read before you write, keep changes "
    "small, run the tests after each change, and say plainly what you did not do.\n\n"
)

_ARTICLES = Path(__file__).with_name("articles.txt").read_text("utf-8").splitlines()
"""The first article of the Universal Declaration of Human Rights in eight languages."""


@cache
def _python_files() -> list[tuple[str, str]]:
    return _files(Path(sysconfig.get_path("stdlib")), "*.py")


@cache
def _header_files() -> list[tuple[str, str]]:
    return _files(Path(sysconfig.get_path("include")), "**/*.h") or _python_files()


def _files(root: Path, pattern: str) -> list[tuple[str, str]]:
    """Return the names and texts of the files under *root*, in an order that is the same everywhere."""
    found = sorted(path for path in root.glob(pattern) if 2_000 < path.stat().st_size < 200_000)
    return [(path.name, path.read_text("utf-8", errors="replace")) for path in found]


@cache
def _prose() -> list[str]:
    """Return the paragraphs of Python's own help texts."""
    text = "\n\n".join(topics[name] for name in sorted(topics))
    return [paragraph for paragraph in text.split("\n\n") if 80 < len(paragraph) < 2_000]


def _slice(draw: random.Random, files: list[tuple[str, str]], lines: int) -> tuple[str, int, list[str]]:
    """Return a file's name, a line number in the file, and up to *lines* lines from there on."""
    name, text = draw.choice(files)
    all_lines = text.splitlines()
    start = draw.randrange(max(1, len(all_lines) - lines))
    return name, start + 1, all_lines[start : start + lines]


def _call(draw: random.Random, name: str, arguments: dict[str, Any], result: str, said: str = "") -> History:
    """Return one round of a history: an assistant's tool call and its result."""
    call_id = f"call_{draw.getrandbits(96):024x}"
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": said or None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": result},
    ]


def _read(draw: random.Random, files: list[tuple[str, str]]) -> History:
    name, start, lines = _slice(draw, files, draw.choice([40, 120, 200, 400]))
    numbered = draw.random() < 0.5
    shown = (f"{number:6}\t{line}" for number, line in enumerate(lines, start)) if numbered else lines
    arguments = {"path": f"src/{name}", "offset": start, "limit": len(lines)}
    return _call(draw, "read_file", arguments, "\n".join(shown), f"Let me look at {name}.")


def _edit(draw: random.Random, files: list[tuple[str, str]]) -> History:
    name, start, lines = _slice(draw, files, draw.randint(5, 40))
    changed = [line for line in lines if draw.random() > 0.1] + ["    return None"]
    arguments = {"path": f"src/{name}", "old_text": "\n".join(lines), "new_text": "\n".join(changed)}
    diff = "\n".join(difflib.unified_diff(lines, changed, f"a/src/{name}", f"b/src/{name}", lineterm=""))
    return _call(draw, "edit_file", arguments, f"Edited src/{name} at line {start}.\n{diff}")


def _grep(draw: random.Random, files: list[tuple[str, str]]) -> History:
    word = draw.choice(["return", "import", "class", "error", "None", "static", "define"])
    hits = [
        f"src/{name}:{number}:{line}"
        for name, text in draw.sample(files, min(8, len(files)))
        for number, line in enumerate(text.splitlines(), 1)
        if word in line
    ]
    result = "\n".join(hits[:60]) or "no matches"
    return _call(draw, "bash", {"command": f"grep -rn '{word}' src | head -60"}, result)


def _tests(draw: random.Random, files: list[tuple[str, str]]) -> History:
    names = [name.partition(".")[0] for name, _ in draw.sample(files, min(12, len(files)))]
    lines = [
        f"tests/test_{name}.py::test_{draw.choice(names)} {draw.choice(['PASSED'] * 9 + ['FAILED'])} "
        f"[{draw.randint(1, 99):3}%]"
        for name in names
        for _ in range(draw.randint(1, 4))
    ]
    name, number, code = _slice(draw, files, 6)
    failure = [
        f"____ test_{names[0]} ____",
        *(f"    {line}" for line in code),
        f"src/{name}:{number}: AssertionError",
    ]
    summary = f"== {draw.randint(1, 3)} failed, {len(lines)} passed in {draw.uniform(0.1, 20):.2f}s =="
    return _call(draw, "bash", {"command": "python -m pytest -v"}, "\n".join([*lines, *failure, summary]))


def _listing(draw: random.Random, files: list[tuple[str, str]]) -> History:
    lines = [
        f"-rw-r--r-- 1 agent agent {len(text):>7} 2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02} "
        f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02} {name}"
        for name, text in draw.sample(files, min(30, len(files)))
    ]
    return _call(draw, "bash", {"command": "ls -l --time-style=long-iso src"}, "\n".join(lines))


def _json(draw: random.Random, files: list[tuple[str, str]]) -> History:
    del files
    table = _model_table()
    records = [{"name": name, **table[name]} for name in draw.sample(sorted(table), draw.randint(1, 6))]
    result = json.dumps({"results": records, "total": len(records)}, indent=draw.choice([None, 2]))
    return _call(draw, "search_models", {"query": records[0]["name"], "limit": 6}, result)


@cache
def _model_table() -> dict[str, dict[str, Any]]:
    """Return litellm's table of models, found without importing the package."""
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "model_prices_and_context_window_backup.json"
    table: dict[str, dict[str, Any]] = orjson.loads(path.read_bytes())
    return table


def _log(draw: random.Random, files: list[tuple[str, str]]) -> History:
    del files
    second = draw.randint(0, 40_000)
    lines = []
    for _ in range(draw.randint(10, 60)):
        second += draw.randint(0, 9)
        level = draw.choice(["INFO", "INFO", "INFO", "WARNING", "ERROR", "DEBUG"])
        moment = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02},{draw.randint(0, 999):03}"
        path = f"/v1/{draw.choice(['items', 'users', 'orders'])}/{draw.randint(1, 99999)}"
        request = f"{draw.choice(['GET', 'POST'])} {path}"
        lines.append(
            f"2026-11-02 {moment} {level:7} "
            f"[worker-{draw.randint(1, 8)}] {request} status={draw.choice([200, 200, 201, 404, 500])} "
            f"took={draw.uniform(0.5, 900):.1f}ms id={draw.getrandbits(64):016x}"
        )
    return _call(draw, "bash", {"command": "tail -n 60 /var/log/app/server.log"}, "\n".join(lines))


def _table(draw: random.Random, files: list[tuple[str, str]]) -> History:
    del files
    start = draw.choice([0x41, 0x391, 0x410, 0x2190, 0x3041, 0x4E00, 0xAC00])
    rows = [
        f"{code},{chr(code)},{unicodedata.name(chr(code), '?')},{unicodedata.category(chr(code))},{draw.random():.4f}"
        for code in range(start, start + 40)
    ]
    return _call(
        draw,
        "query",
        {"sql": "select * from characters limit 40"},
        "\n".join(["code,char,name,cat,w", *rows]),
    )


def _talk(draw: random.Random, files: list[tuple[str, str]]) -> History:
    del files
    asked, answered = (" ".join(draw.choice(_prose()).split()) for _ in range(2))
    return [{"role": "assistant", "content": answered}, {"role": "user", "content": asked}]


def _foreign_talk(draw: random.Random, files: list[tuple[str, str]]) -> History:
    del files
    asked, answered = (" ".join(draw.choices(_ARTICLES, k=draw.randint(1, 5))) for _ in range(2))
    return [{"role": "assistant", "content": answered}, {"role": "user", "content": asked}]


_Round = Callable[[random.Random, list[tuple[str, str]]], History]

_CODING: tuple[_Round, ...] = (_read, _read, _read, _edit, _edit, _grep, _tests, _listing, _talk)

MIXES: dict[str, tuple[Callable[[], list[tuple[str, str]]], tuple[_Round, ...]]] = {
    "Python agent": (_python_files, _CODING),
    "C agent": (_header_files, _CODING),
    "operations agent": (_python_files, (_log, _json, _listing, _grep, _tests, _table, _read, _talk)),
    "prose chat": (_python_files, (_talk,)),
    "multilingual chat": (_python_files, (_foreign_talk, _foreign_talk, _talk)),
}
"""Maps a kind of history to the files that its rounds quote, and to the functions that build its rounds.

A function that is listed twice is used twice as often.
"""

AGENTS = ("Python agent", "C agent", "operations agent")
"""The kinds of histories that agents send."""


def rounds_of(kind: str, seed: int) -> Iterator[History]:
    """Yield a history of *kind* in pieces, without end.

    After each piece, the history so far is one that a client could send.
    """
    draw = random.Random(seed)
    files_of, mix = MIXES[kind]
    files = files_of()
    guidance = "\n\n".join(" ".join(text.split()) for text in draw.sample(_prose(), 6))
    yield [
        {"role": "system", "content": _SYSTEM + guidance},
        {"role": "user", "content": "Find out why the tests fail, fix it, and tell me what it was."},
    ]
    while True:
        yield draw.choice(mix)(draw, files)


def agent_history(kind: str, seed: int, characters: int) -> History:
    """Return a history of *kind* whose JSON has about *characters* characters."""
    history: History = []
    size = 0
    for piece in rounds_of(kind, seed):
        history += piece
        size += len(orjson.dumps(piece))
        if size >= characters:
            return history
    raise AssertionError("the rounds have no end")
