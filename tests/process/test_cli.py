"""The command line as a shell sees it: exit status, standard output, standard error."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from proxy import __version__
from proxy.cli import demo, main
from proxy.demo.run import Comparison
from tests.process.running import ROOT, Running, command, environment
from tests.support.builders import assistant, call, tool, user

COMMANDS = ("serve", "demo", "emulate", "explain", "check")
BROKEN: list[Any] = [
    user("go"),
    assistant(None, [call("c1", "f"), call("c2", "g")]),
    tool("c1"),
    user("and?"),
]
REQUEST: dict[str, Any] = {"model": "gemini-3.6-flash", "messages": BROKEN, "frobnicate": 1}
SECRET = "sk-never-shown-0123456789"


def run(*arguments: str, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; no command may print a traceback."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env=environment(**variables),
        timeout=60,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def write(path: Path, value: Any) -> str:
    """Write a configuration or a request and return its path."""
    path.write_text(value if isinstance(value, str) else yaml.safe_dump(value))
    return str(path)


def deep(levels: int) -> bytes:
    """Return lists within lists."""
    return b"[" * levels + b"]" * levels


def config(**general: Any) -> dict[str, Any]:
    """Return a small configuration."""
    parameters = {
        "model": "gemini/gemini-3.6-flash",
        "api_key": SECRET,
        "api_base": "http://127.0.0.1:9/v1beta",
    }
    return {
        "model_list": [{"model_name": "mine", "litellm_params": parameters}],
        "general_settings": general,
    }


def test_version_of_both_commands() -> None:
    """``turnright`` and ``python -m proxy`` are one command; both print the version and exit 0."""
    script = Path(sys.executable).with_name("turnright")
    by_name = subprocess.run([script, "--version"], capture_output=True, text=True, check=True, timeout=60)
    by_module = run("--version")

    assert by_module.returncode == 0
    assert by_name.stdout == by_module.stdout == f"turnright {__version__}\n"


def test_help_names_every_command() -> None:
    """The help lists the commands, and each of them has a help of its own."""
    shown = run("--help")

    assert shown.returncode == 0
    assert all(f"    {name} " in shown.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("serve", "--port", "65536"),
        ("serve", "--port", "many"),
        ("emulate", "--port", "-1"),
        ("check",),
        ("explain", "a", "b"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage is exit 2, with the usage and the fault on standard error, in words for a reader."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    assert shown.err.startswith("usage: turnright")
    assert "_port" not in shown.err


def test_demo() -> None:
    """The demo needs no key, prints every history with both answers, and exits 0 since all go as they should."""
    shown = run("demo")

    assert (shown.returncode, shown.stderr) == (0, "")
    heads = [line for line in shown.stdout.splitlines() if line.startswith(("ok  g", "NOT g"))]
    straight = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  straight ")]
    through = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  turnright ")]
    assert len(heads) >= 8
    assert all(head.startswith("ok  ") for head in heads)
    assert (straight, through) == (["400"] * len(heads), ["200"] * len(heads))
    assert "changes    none" not in shown.stdout
    assert shown.stdout.count("https://github.com/") == len(heads)
    last = shown.stdout.splitlines()[-1]
    assert last == f"{len(heads)} of {len(heads)} refused when sent straight and answered through turnright."


GOOD = Comparison("g00", "gemini-2.5-pro", "what", "where", 400, "refused", 200, "answered", "pairing=1")


@pytest.mark.parametrize(
    "bad",
    [
        replace(GOOD, straight_status=200),
        replace(GOOD, proxied_status=400),
        replace(GOOD, proxied_status=502),
        replace(GOOD, changes=""),
    ],
    ids=["taken straight", "refused", "broken", "changes untold"],
)
def test_demo_that_goes_wrong(
    bad: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo exits 1 when one history does not go as it should, and marks it."""

    async def comparisons() -> list[Comparison]:
        return [GOOD, bad]

    monkeypatch.setattr(demo, "run_comparison", comparisons)
    monkeypatch.setattr(demo, "configure_logs", lambda stream: None)

    status = main(["demo"])

    shown = capsys.readouterr().out
    assert status == 1
    assert ("ok  g00" in shown, "NOT g00" in shown) == (True, True)
    assert shown.endswith("1 of 2 refused when sent straight and answered through turnright.\n")


@pytest.mark.parametrize("variables", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_reader_that_leaves(variables: dict[str, str]) -> None:
    """A reader that closes the pipe, as ``head`` does, ends the command with 1 and without a traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command("explain", "--json"),
            input=json.dumps(REQUEST).encode(),
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=environment(**variables),
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")


def test_check_prints_masked_settings(tmp_path: Path) -> None:
    """A good configuration is printed whole, defaults included and secrets masked, and can be read again."""
    path = write(tmp_path / "good.yaml", config(master_key="os.environ/THE_KEY"))

    shown = run("check", "--config", path, THE_KEY=SECRET + "-master")
    again = run("check", "--config", write(tmp_path / "again.yaml", shown.stdout))

    assert (shown.returncode, shown.stderr) == (0, "")
    assert SECRET not in shown.stdout
    settings = yaml.safe_load(shown.stdout)
    assert settings["general_settings"]["master_key"] == "********"
    assert settings["model_list"][0]["litellm_params"]["api_key"] == "********"
    assert settings["sanitize"]["mode"] == "repair"
    assert (again.returncode, again.stdout) == (0, shown.stdout)


def test_check_tells_what_happens(tmp_path: Path) -> None:
    """For each model, as comments behind the settings; what is likely a mistake on standard error, and exit 0."""
    broken = config(drain_grace=0)
    broken["router_settings"] = {"context_window_fallbacks": [{"mine": ["small"]}]}
    small = {
        "model": "openai/gpt-4o",
        "api_key": f"{SECRET}-small",
        "extra_headers": {"x-team": f"{SECRET}-team"},
    }
    broken["model_list"].append({"model_name": "small", "litellm_params": small})

    shown = run("check", "--config", write(tmp_path / "c.yaml", broken))

    assert shown.returncode == 0
    assert SECRET not in shown.stdout + shown.stderr
    settings, _, told = shown.stdout.partition("\n\n")
    assert yaml.safe_load(settings) == yaml.safe_load(shown.stdout)
    assert all(line.startswith("#") for line in told.splitlines())
    assert "\n# mine\n#     if too long small\n" in told
    assert (
        "\n#   gemini/gemini-3.6-flash\n#     transport   direct (auto: gemini is spoken directly), to 127.0.0.1:9"
        in told
    )
    assert [line.split(": ")[2] for line in shown.stderr.splitlines()] == [
        "router_settings.context_window_fallbacks",
        "general_settings.drain_grace",
    ]


def test_check_for_machines(tmp_path: Path) -> None:
    """The same as one JSON object, warnings and all."""
    path = write(tmp_path / "c.yaml", config(drain_grace=0, ui=False))

    shown = run("check", "--json", "--config", path)

    told = json.loads(shown.stdout)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert SECRET not in shown.stdout
    assert list(told) == ["settings", "models", "warnings"]
    assert told["settings"]["model_list"][0]["litellm_params"]["api_key"] == "********"
    [model] = told["models"]
    [deployment] = model["deployments"]
    assert (model["name"], model["fallbacks"], model["turns"]["max_rounds"]) == ("mine", [], 25)
    assert (deployment["host"], deployment["key"]) == ("127.0.0.1:9", "set")
    assert deployment["budget"]["window"] == 1_048_576
    assert [warning.partition(":")[0] for warning in told["warnings"]] == [
        "general_settings.ui",
        "general_settings.drain_grace",
    ]


def test_check_lists_every_fault(tmp_path: Path) -> None:
    """A bad configuration is exit 2 with every fault on a line of its own, by its path, and no value shown."""
    bad = config(max_in_flight=SECRET, drain_delay=-1) | {
        "sanitize": {"mode": "perhaps"},
        "compaction": {"enabled": True},
        "colour": SECRET,
    }

    shown = run("check", "--config", write(tmp_path / "bad.yaml", bad))

    assert (shown.returncode, shown.stdout) == (2, "")
    assert SECRET not in shown.stderr
    lines = shown.stderr.splitlines()
    for place in (
        "general_settings.max_in_flight",
        "general_settings.drain_delay",
        "sanitize.mode",
        "compaction.enabled",
        "colour",
    ):
        assert [line for line in lines if line.startswith(place)] != [], place
    assert len(lines) == 5


@pytest.mark.parametrize("name", ["check", "serve", "explain"])
def test_configuration_that_is_not_there(name: str, tmp_path: Path) -> None:
    """A file that cannot be read is exit 2 with the file's name and the reason."""
    path = str(tmp_path / "none.yaml")

    shown = run(name, "--config", path, stdin=json.dumps(REQUEST).encode())

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == f"turnright: {path}: No such file or directory\n"


def test_check_warns(tmp_path: Path) -> None:
    """A key without an effect yet is a warning on standard error, not a fault."""
    path = write(tmp_path / "c.yaml", config() | {"general_settings": {"ui": False}})

    shown = run("check", "--config", path)

    assert shown.returncode == 0
    assert shown.stderr.startswith("turnright: warning: general_settings.ui")


@pytest.mark.parametrize("given", ["file", "stdin", "dash"])
def test_explain_takes_a_request(given: str, tmp_path: Path) -> None:
    """A request from a file, from standard input, and from ``-`` is explained alike, for a reader."""
    path = write(tmp_path / "request.json", json.dumps(REQUEST))
    arguments = {"file": [path], "stdin": [], "dash": ["-"]}[given]

    shown = run("explain", *arguments, stdin=b"" if given == "file" else json.dumps(REQUEST).encode())

    assert (shown.returncode, shown.stderr) == (0, "")
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
    """A bare list is taken for the messages; ``--model`` says for whom; ``--json`` prints the endpoint's answer."""
    shown = run("explain", "--model", model, "--json", stdin=json.dumps(BROKEN).encode())

    explained = json.loads(shown.stdout)
    assert shown.returncode == 0
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


def test_explain_prefers_the_option() -> None:
    """``--model`` goes before the model in the request."""
    shown = run("explain", "--model", "gpt-4.1", "--json", stdin=json.dumps(REQUEST).encode())

    assert json.loads(shown.stdout)["model"] == "gpt-4.1"


def test_explain_with_a_configuration(tmp_path: Path) -> None:
    """With a configuration its models and its mode count; a model that it lacks is exit 2."""
    path = write(tmp_path / "c.yaml", config() | {"sanitize": {"mode": "strict"}})

    mine = run("explain", "--config", path, "--model", "mine", stdin=json.dumps(BROKEN).encode())
    other = run("explain", "--config", path, "--model", "other", stdin=json.dumps(BROKEN).encode())

    assert mine.returncode == 0
    assert "model     mine -> gemini/gemini-3.6-flash" in mine.stdout
    assert "verdict   refused" in mine.stdout
    assert (other.returncode, other.stdout) == (2, "")
    assert "'other' is not configured" in other.stderr


def test_explain_shows_the_budget_as_a_table(tmp_path: Path) -> None:
    """Each part before and after, what was removed, and how far the rest goes."""
    path = write(tmp_path / "c.yaml", config() | {"budget": {"preset": "codex"}})
    history: list[Any] = [user("go")]
    for number in range(5):
        history += [
            assistant(None, [call(f"c{number}", "f")]),
            tool(f"c{number}", "a line of text\n" * 2_000),
        ]

    shown = run("explain", "--config", path, "--model", "mine", stdin=json.dumps(history).encode())

    assert (shown.returncode, shown.stderr) == (0, "")
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
        (deep(500), "must be a JSON object"),
        (deep(5000), "not valid JSON"),
    ],
)
def test_explain_of_bad_input(
    given: bytes, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Input that cannot be used is exit 2, with one line that says what is wrong and where."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))

    status = main(["explain"])

    shown = capsys.readouterr()
    assert (status, shown.out) == (2, "")
    assert words in shown.err
    assert len(shown.err.splitlines()) == 1


def test_explain_for_a_name_that_is_none() -> None:
    """A model's name that no configuration would take is exit 2, with every fault on a line."""
    shown = run("explain", "--model", "*", stdin=json.dumps(BROKEN).encode())

    assert (shown.returncode, shown.stdout) == (2, "")
    assert all("wildcard" in line for line in shown.stderr.splitlines())


def test_explain_of_a_history_beyond_repair() -> None:
    """A history that cannot be mended is explained as refused, with the reason."""
    shown = run("explain", "--model", "gpt-4.1", stdin=json.dumps([tool("c1", "alone")]).encode())

    assert shown.returncode == 0
    assert "verdict   refused" in shown.stdout
    assert "nothing_to_send" in shown.stdout


def test_explain_of_a_missing_file(tmp_path: Path) -> None:
    """A request file that is not there is exit 2."""
    path = str(tmp_path / "none.json")

    shown = run("explain", path)

    assert (shown.returncode, shown.stderr) == (2, f"turnright: {path}: No such file or directory\n")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_serve_in_the_open_without_a_key(host: str, tmp_path: Path) -> None:
    """An address that others reach needs a master key: exit 2, and the words say what to set."""
    shown = run("serve", "--config", write(tmp_path / "c.yaml", config()), "--host", host, "--port", "0")

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == (
        f"turnright: general_settings.master_key is not set, and {host} is not loopback: set it "
        "(TURNRIGHT_MASTER_KEY where there is no file), or permit open access with "
        "general_settings.allow_unauthenticated_access: true\n"
    )


def test_serve_without_anything() -> None:
    """With no configuration and no key in the environment there is nothing to serve: exit 2, and how to go on."""
    shown = run("serve", "--port", "0")

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith(
        "there is no configuration: name a file with --config, or set one of GEMINI"
    )
    assert len(shown.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["serve", "emulate"])
def test_port_in_use(name: str, tmp_path: Path) -> None:
    """A port that somebody has is exit 1, and says so at once."""
    path = write(tmp_path / "c.yaml", config())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        shown = run(name, *(["--config", path] if name == "serve" else []), "--port", port)

    assert (shown.returncode, shown.stdout) == (1, "")
    assert shown.stderr.startswith("turnright: cannot listen: ")
    assert "in use" in shown.stderr


def test_serve_from_the_environment(directory: Path) -> None:
    """With a provider's key in the environment, ``serve`` needs no file; SIGINT ends it like SIGTERM, with 0."""
    running = Running(directory, "serve", "--port", "0", variables={"GEMINI_API_KEY": SECRET})
    try:
        ready = running.wait_for(lambda: running.events("ready"), "ready line")[0]
        running.signal(signal.SIGINT)
        running.wait_for(lambda: running.events("draining"), "draining")
        running.signal(signal.SIGINT)  # the default delay is 5 s
    finally:
        running.stop()

    assert ready["base_url"] == f"http://127.0.0.1:{ready['port']}/v1"
    assert SECRET not in running.output + running.errors


def test_emulate_says_where_it_is(directory: Path) -> None:
    """``emulate`` prints its address and what to configure, answers there, and ends with 0."""
    running = Running(directory, "emulate", "--port", "0")
    try:
        line = running.wait_for(lambda: running.output.partition("\n")[0], "address")
    finally:
        status = running.stop()

    origin = line.split()[3]
    assert line == f"Gemini emulator on {origin} (api_base: {origin}/v1beta)"
    assert (status, running.errors) == (0, "")
