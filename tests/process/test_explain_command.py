"""Tests of ``turnright explain`` in a shell."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proxy.cli import main
from tests.process.commands import BROKEN, REQUEST, config, deep, run, run_in_process, run_in_shell, write
from tests.process.running import ROOT, command, environment
from tests.support.builders import assistant, call, tool, user


@pytest.mark.parametrize("given", ["file", "stdin", "dash"])
def test_explain_takes_a_request(given: str, tmp_path: Path) -> None:
    """A request from a file, from standard input and from ``-`` gets the same readable explanation."""
    path = write(tmp_path / "request.json", json.dumps(REQUEST))
    arguments = {"file": [path], "stdin": [], "dash": ["-"]}[given]

    shown = run("explain", *arguments, stdin=b"" if given == "file" else json.dumps(REQUEST).encode())

    assert (shown.returncode, shown.stderr) == (1, "")
    lines = shown.stdout.splitlines()
    assert lines[0] == "model     gemini-3.6-flash -> gemini/gemini-3.6-flash"
    assert "verdict   repaired" in lines
    assert "changes (pairing=1):" in lines
    assert [line.split()[:2] for line in lines if line.startswith("  pairing")] == [
        ["pairing", "messages[1]"]
    ]
    assert lines[-1] == "parameters that are not sent: frobnicate"


@pytest.mark.parametrize(
    ("model", "profile", "deployment"),
    [
        ("gemini-2.5-pro", "gemini", "gemini/gemini-2.5-pro"),
        ("gemini/gemini-3-pro-preview", "gemini", "gemini/gemini-3-pro-preview"),
        ("gpt-4.1", "openai", "openai/gpt-4.1"),
    ],
)
def test_explain_of_a_bare_list(model: str, profile: str, deployment: str) -> None:
    """A bare list is read as the messages for ``--model``.

    ``--json`` prints the same object as ``/v1/explain`` returns.
    """
    shown = run_in_process("explain", "--model", model, "--json", stdin=json.dumps(BROKEN).encode())

    explained = json.loads(shown.stdout)
    assert shown.returncode == 1
    assert explained["steps"][0]["step"] == "pairing"
    assert explained["steps"][0]["after"][0] == {"origin": 0}
    assert (explained["object"], explained["deployment"]) == ("turnright.explanation", deployment)
    assert explained["profile"].startswith(profile)
    assert explained["verdict"] == "repaired"
    assert [message["role"] for message in explained["body"]["messages"]] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]


def test_explain_mends_half_a_character() -> None:
    """A lone surrogate is repaired in a bare list and in a request, with the reason ``half_character``."""
    cut = b'[{"role": "user", "content": "cut \\ud83d"}]'

    for given, more in (
        (cut, ("--model", "gpt-4.1")),
        (b'{"model": "gpt-4.1", "messages": ' + cut + b"}", ("--json",)),
    ):
        shown = run_in_process("explain", *more, stdin=given)
        assert (shown.returncode, shown.stderr) == (1, "")
        assert "half_character" in shown.stdout


def test_explain_prefers_the_option() -> None:
    """``--model`` overrides the model in the request."""
    shown = run_in_process("explain", "--model", "gpt-4.1", "--json", stdin=json.dumps(REQUEST).encode())

    assert json.loads(shown.stdout)["model"] == "gpt-4.1"


@pytest.mark.parametrize("mode", ["observe", "off"])
def test_explain_in_a_mode_that_repairs_nothing(mode: str, tmp_path: Path) -> None:
    """In the modes ``observe`` and ``off``, text and JSON show the repairs that the mode ``repair`` would make.

    The history that goes out is the original.
    """
    path = write(tmp_path / "c.yaml", config() | {"sanitize": {"mode": mode}})
    given = json.dumps(BROKEN).encode()

    shown = run_in_process("explain", "--config", path, "--model", "mine", stdin=given)
    told = json.loads(
        run_in_process("explain", "--config", path, "--model", "mine", "--json", stdin=given).stdout
    )

    assert f"  (mode {mode} does not do this: it is what mode repair would do)" in shown.stdout.splitlines()
    assert "would go out" in shown.stdout
    assert "  goes out" not in shown.stdout
    assert [entry["origin"] for entry in told["after"]] == [0, 1, 2, 3]
    assert [entry["origin"] for entry in told["would"]] != [0, 1, 2, 3]


def test_explain_with_a_configuration(tmp_path: Path) -> None:
    """With ``--config``, the file's models and its sanitizing mode apply.

    A model that the file lacks ends the command with 2.
    """
    path = write(tmp_path / "c.yaml", config() | {"sanitize": {"mode": "strict"}})

    mine = run_in_process("explain", "--config", path, "--model", "mine", stdin=json.dumps(BROKEN).encode())
    other = run_in_process("explain", "--config", path, "--model", "other", stdin=json.dumps(BROKEN).encode())

    assert mine.returncode == 2
    assert "model     mine -> gemini/gemini-3.6-flash" in mine.stdout
    assert "verdict   refused" in mine.stdout
    assert (other.returncode, other.stdout) == (2, "")
    assert "'other' is not configured" in other.stderr


def test_explain_shows_the_budget_as_a_table(tmp_path: Path) -> None:
    """The budget table has each part's tokens before and after, the cut messages, and the used share of the limit."""
    path = write(tmp_path / "c.yaml", config() | {"budget": {"preset": "codex"}})
    history: list[Any] = [user("go")]
    for number in range(5):
        history += [
            assistant(None, [call(f"c{number}", "f")]),
            tool(f"c{number}", "a line of text\n" * 2_000),
        ]

    shown = run_in_process("explain", "--config", path, "--model", "mine", stdin=json.dumps(history).encode())

    assert (shown.returncode, shown.stderr) == (1, "")
    lines = shown.stdout.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("tokens (limit "))
    assert lines[head].endswith("window from: catalogue):")
    assert lines[head + 1].split() == ["came", "in", "goes", "out"]
    rows = {line[:16].strip(): line[16:].replace(",", "").split() for line in lines[head + 2 : head + 8]}
    assert list(rows) == ["system", "tools", "first goal", "older rounds", "current round", "in all"]
    came_in, goes_out = ([int(row[at]) for row in rows.values()] for at in (0, 1))
    assert sum(came_in[:-1]) == came_in[-1]
    assert sum(goes_out[:-1]) == goes_out[-1] < came_in[-1]
    assert lines[head + 8].startswith("  tool_result_capped: 5 messages, ")
    assert lines[head + 9].endswith(" % of the limit is used")
    assert lines[head + 10].startswith("  a round has ")
    bars = [line.partition("[")[2].partition("]")[0] for line in lines[head + 11 : head + 13]]
    assert [len(bar) for bar in bars] == [60, 60]
    assert set("".join(bars)) <= set("stgocr.")
    assert bars[0].count(".") <= bars[1].count(".")


@pytest.mark.parametrize(
    ("messages", "status"), [([user("Hello.")], 0), (BROKEN, 1), ([tool("nobody", "lost")], 2), ([{}], 2)]
)
def test_explain_tells_by_its_exit_status(messages: list[Any], status: int) -> None:
    """Exit status 0 means no change, 1 a change, and 2 a refusal or bad input, with and without ``--json``."""
    given = json.dumps(messages).encode()

    found = [
        run_in_process("explain", "--model", "gemini-2.5-pro", *more, stdin=given)
        for more in ((), ("--json",))
    ]

    assert [shown.returncode for shown in found] == [status, status]


def test_explain_shows_each_step() -> None:
    """Each repair step is shown with its reason, the error that it prevents, and the messages before and after.

    Control characters in texts are escaped.
    """
    broken = [assistant("Hi \x1b[2J."), tool("nobody", "\x1b[31mlost\u202e"), user("Hello.")]

    shown = run_in_process("explain", "--model", "gemini-2.5-pro", stdin=json.dumps(broken).encode())

    assert "\x1b" not in shown.stdout
    lines = shown.stdout.splitlines()
    at = lines.index(
        "orphan_drop: There is no tool result without its call; of several results the last one counts."
    )
    assert lines[at + 1 : at + 3] == [
        "    dropped orphaned_result  messages[1]",
        "      No call has asked for this result.",
    ]
    assert lines[at + 3].startswith("      without it: messages with role 'tool' must be a response")
    assert lines[at + 4] == "    - [1]    tool (nobody) \\x1b[31mlost\\u202e"
    assert any(line.startswith("    + [new]  user [The conversation starts here") for line in lines)


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_explain_in_colours(variables: dict[str, str], coloured: bool) -> None:
    """Output at a terminal is coloured, unless ``NO_COLOR`` or ``TERM`` forbids colours."""
    reading, writing = os.openpty()
    shown = b""
    with subprocess.Popen(
        command("explain"),
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(**variables),
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(REQUEST).encode())
        process.stdin.close()
        with contextlib.suppress(OSError):  # which is how a terminal ends
            while piece := os.read(reading, 65_536):
                shown += piece
        ended = (process.wait(60), process.stderr.read())
    os.close(reading)

    assert ended == (1, b"")
    assert (b"\x1b[33mrepaired\x1b[0m" in shown, b"\x1b" in shown) == (coloured, coloured)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b'"text"', "must be a JSON object"),
        (b"[]", "'model' is required"),
        (b"{}", "'model' is required"),
        (b'{"model": "gpt-4.1"}', "'messages' is required"),
        (b'{"model": "gpt-4.1", "messages": []}', "'messages' is empty"),
        (b'{"model": "gpt-4.1", "messages": [{"role": "wizard"}]}', "(messages[0].role)"),
        (b'{"model": "gpt-4.1", "temperature": "x", "messages": [{"role": "user"}]}', "(temperature)"),
        (b'{"model": "gpt-4.1", "messages": [{"role": "user"}], "x": %b}' % deep(150), "deeper than 100"),
        (b'{"model": "gpt-4.1", "messages": [{"role": "user"}], "x": %b}' % deep(500), "deeper than"),
        (deep(500), "deeper than"),
        (deep(5000), "not valid JSON"),
    ],
)
def test_explain_of_bad_input(
    given: bytes, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unusable input ends the command with 2, and one line on standard error says what is wrong."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))

    status = main(["explain"])

    shown = capsys.readouterr()
    assert (status, shown.out) == (2, "")
    assert words in shown.err
    assert len(shown.err.splitlines()) == 1


def test_explain_for_a_name_that_is_none() -> None:
    """A wildcard cannot be explained, since it stands for many models. The command then ends with 2 and this reason."""
    shown = run_in_process("explain", "--model", "*", stdin=json.dumps(BROKEN).encode())

    assert (shown.returncode, shown.stdout) == (2, "")
    assert "stands for the names of many models" in shown.stderr


def test_explain_of_a_history_beyond_repair() -> None:
    """A history that cannot be mended is explained as refused, with the reason."""
    shown = run_in_process("explain", "--model", "gpt-4.1", stdin=json.dumps([tool("c1", "alone")]).encode())

    assert shown.returncode == 2
    assert "verdict   refused" in shown.stdout
    assert "nothing_to_send" in shown.stdout


def test_explain_of_a_missing_file(tmp_path: Path) -> None:
    """If the request file is missing, the command ends with 2 and prints the reason."""
    path = str(tmp_path / "none.json")

    shown = run_in_process("explain", path)

    assert (shown.returncode, shown.stderr) == (2, f"turnright: {path}: No such file or directory\n")


def shell(line: str, given: Any, **variables: str) -> tuple[int, str, str]:
    """Run a shell line in which ``"$@"`` explains *given*. Return the status, standard output and standard error."""
    arguments = ("explain", "--model", "gemini-2.5-pro")
    stdin = json.dumps(given, ensure_ascii=False).encode()
    done = run_in_shell(line, *arguments, stdin=stdin, **variables)
    return done.returncode, done.stdout, done.stderr


SPOKEN = [assistant("Grüße, 😀."), tool("nobody", "lost"), user("Hello.")]
ALONE = [tool("nobody", "lost")]


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}])
def test_explain_where_only_ascii_is_shown(variables: dict[str, str]) -> None:
    """If standard output can hold only ASCII, the command still works.

    JSON output keeps the original characters as escapes.
    """
    variables = {"PYTHONCOERCECLOCALE": "0", **variables}

    read = shell('"$@"', SPOKEN, **variables)
    told = shell('"$@" --json', SPOKEN, PYTHONIOENCODING="ascii")

    assert (read[0], read[2], told[0], told[2]) == (1, "", 1, "")
    assert "verdict   repaired" in read[1]
    assert json.loads(told[1])["before"][0]["message"]["content"] == "Grüße, 😀."
    assert told[1].isascii()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"$@" >/dev/full', "turnright: standard output: No space left on device\n"),
        ('"$@" >&-', "turnright: standard output: it is closed\n"),
        ('"$@" <&-', "turnright: standard input: it is closed\n"),
        ("\"$@\" --model $'a\\xff'", "turnright: --model: it is not valid UTF-8\n"),
    ],
)
def test_explain_that_cannot_answer(line: str, words: str) -> None:
    """Unusable input or output is status 2 with the reason, since 1 would mean a change."""
    assert shell(line, SPOKEN) == (2, "", words)


@pytest.mark.parametrize(("given", "status"), [([user("Hello.")], 0), (SPOKEN, 1), (ALONE, 2)])
def test_explain_whose_reader_leaves(given: Any, status: int) -> None:
    """A reader that closes the pipe does not change the exit status."""
    assert shell('"$@" | true', given) == (status, "", "")


def test_explain_takes_a_request_of_the_messages_api() -> None:
    """It is known by its fields. Its own limit of the answer may be missing."""
    result = {"type": "tool_result", "tool_use_id": "gone", "content": "1"}
    request = {"model": "gpt-4.1", "system": "Be brief.", "messages": [{"role": "user", "content": [result]}]}
    shown = run_in_process("explain", "--json", stdin=json.dumps(request).encode())

    explained = json.loads(shown.stdout)
    assert explained["verdict"] == "repaired"
    assert explained["before"][0]["message"] == {"role": "system", "content": "Be brief."}
