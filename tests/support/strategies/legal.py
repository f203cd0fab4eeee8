"""Strategies for histories that every provider accepts, and for how such histories grow.

A legal history keeps the strictest rules of all providers that turnright knows. After an optional system message, the
user comes first and roles alternate. Every result follows its call directly, in call order. Texts are not blank, ids
have nine letters and digits (Mistral's rule), and parallel calls differ.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import strategies as st

from tests.support.builders import assistant, call, image, system, text, tool, user
from tests.support.strategies.texts import BLANKS, FLAVOURS, Numbers, numbers_after

History = list[dict[str, Any]]
IdStyle = Literal["portable", "mixed"]
TOOL_NAMES = ("f", "read_file", "grep", "get_weather")
ID_PATTERNS = ("c{:08d}", "call_{:08d}", "toolu_01Vrtx{:08d}", "chatcmpl-tool-{:026d}", "functions.f:{}")


@dataclass(frozen=True, slots=True)
class _Said:
    """The plan of one message: the pattern of its text, the form of its content, and its extra fields."""

    flavour: int
    form: int
    extra: int


@dataclass(frozen=True, slots=True)
class _Step:
    """The plan of one assistant message with calls, and its results."""

    said: _Said
    calls: list[tuple[int, int]]  # the tool's name; the form of the arguments
    results: _Said


@dataclass(frozen=True, slots=True)
class _Options:
    media: bool
    id_pattern: int
    reuse_ids: bool


@st.composite
def legal_histories(
    draw: st.DrawFn,
    *,
    max_rounds: int = 6,
    parallel: int = 3,
    allow_trailing_assistant: bool = False,
    whitespace: bool = False,
    media: bool = True,
    extras: bool = True,
    reuse_ids: bool = True,
    id_style: IdStyle = "portable",
    min_rounds: int = 1,
    min_steps: int = 0,
) -> History:
    """Draw a history that ends with a user message or with results, or with assistant text if allowed.

    `whitespace` allows blank texts, which Anthropic refuses. `media` allows image parts, and `extras` adds unknown
    fields. `reuse_ids` lets some histories use ids again after their results. The `mixed` id style uses other
    providers' ids of up to 40 characters.
    """
    said = _said(whitespace, extras)
    steps = _steps(said, parallel)
    numbers = Numbers()
    options = _options(draw, media, reuse_ids, id_style)
    plans = draw(
        st.lists(
            st.tuples(said, st.lists(steps, min_size=min_steps, max_size=3), said),
            min_size=min_rounds,
            max_size=max_rounds,
        )
    )
    trailing = allow_trailing_assistant and draw(st.booleans())
    messages: History = []
    if draw(st.booleans()):
        messages.append(_message(system, draw(said), numbers))
    for question, calls, answer in plans:
        messages.append(_question(question, numbers, options))
        for step in calls:
            messages.extend(_step(step, numbers, options))
        messages.append(_message(assistant, answer, numbers))
    if not trailing:
        messages.pop()
    return messages


@st.composite
def growth(
    draw: st.DrawFn,
    history: History | st.SearchStrategy[History] | None = None,
    *,
    max_added: int = 3,
    parallel: int = 3,
    whitespace: bool = False,
    media: bool = True,
    extras: bool = True,
) -> tuple[History, list[History]]:
    """Draw a legal history and pieces to append, each of which leads to the client's next request.

    A piece holds the messages between two requests: the assistant's calls and their results, or the assistant's text
    and the next user message. The history is legal after each piece.
    """
    if history is None:
        history = legal_histories(whitespace=whitespace, media=media, extras=extras)
    start = history if isinstance(history, list) else draw(history)
    said = _said(whitespace, extras)
    numbers = numbers_after(start)
    options = _Options(media, 0, False)
    piece = st.one_of(st.tuples(said, said), _steps(said, parallel))
    pieces: list[History] = []
    at_assistant = start[-1]["role"] == "assistant"
    for plan in draw(st.lists(piece, min_size=1, max_size=max_added)):
        if at_assistant:
            asked = plan.said if isinstance(plan, _Step) else plan[1]
            pieces.append([_question(asked, numbers, options)])
        elif isinstance(plan, _Step):
            pieces.append(_step(plan, numbers, options))
        else:
            answer = _message(assistant, plan[0], numbers)
            pieces.append([answer, _question(plan[1], numbers, options)])
        at_assistant = False
    return start, pieces


def _said(whitespace: bool, extras: bool) -> st.SearchStrategy[_Said]:
    flavours = len(FLAVOURS) + (len(BLANKS) if whitespace else 0)
    return st.builds(
        _Said, st.integers(0, flavours - 1), st.integers(0, 5), st.integers(0, 3 if extras else 0)
    )


def _steps(said: st.SearchStrategy[_Said], parallel: int) -> st.SearchStrategy[_Step]:
    calls = st.lists(
        st.tuples(st.integers(0, len(TOOL_NAMES) - 1), st.integers(0, 3)), min_size=1, max_size=parallel
    )
    return st.builds(_Step, said, calls, said)


def _options(draw: st.DrawFn, media: bool, reuse_ids: bool, id_style: IdStyle) -> _Options:
    pattern = draw(st.integers(0, len(ID_PATTERNS) - 1)) if id_style == "mixed" else 0
    return _Options(media, pattern, reuse_ids and draw(st.integers(0, 3)) == 3)


def _message(role: Any, plan: _Said, numbers: Numbers) -> dict[str, Any]:
    """Return a message with text: mostly a string, sometimes one or two parts."""
    content: Any = numbers.text(plan.flavour)
    if plan.form == 4:
        content = [text(content)]
    elif plan.form == 5:
        content = [text(content), text(numbers.text())]
    return _with_extra(role(content), plan)


def _question(plan: _Said, numbers: Numbers, options: _Options) -> dict[str, Any]:
    """Return a user message. One form in six holds an image, alone or with a text."""
    if options.media and plan.form == 3:
        parts = [image()] if plan.flavour % 2 else [text(numbers.text(plan.flavour)), image()]
        return _with_extra(user(parts), plan)
    return _message(user, plan, numbers)


def _step(plan: _Step, numbers: Numbers, options: _Options) -> History:
    pattern = ID_PATTERNS[options.id_pattern]
    calls = []
    for index, (name, form) in enumerate(plan.calls):
        number = index + 1 if options.reuse_ids else numbers.next()
        arguments = _arguments(form, numbers, alone=len(plan.calls) == 1)
        calls.append(call(pattern.format(number), TOOL_NAMES[name], arguments))
    spoken = assistant(None, calls)
    if plan.said.form == 1:
        del spoken["content"]
    elif plan.said.form > 1:
        spoken["content"] = _message(assistant, plan.said, numbers)["content"]
    results = [
        _message(lambda content, id=entry["id"]: tool(id, content), plan.results, numbers) for entry in calls
    ]
    return [_with_extra(spoken, plan.said), *results]


def _arguments(form: int, numbers: Numbers, *, alone: bool) -> str:
    """Return arguments as JSON with a unique number. A call without parallel calls may have `{}` instead."""
    if form == 0 and alone:
        return "{}"
    number = numbers.next()
    values: list[dict[str, Any]] = [
        {"n": number},
        {"n": number},
        {"path": f"/src/{number}.py", "deep": {"list": [1, None, True], "empty": {}}},
        {"q": f"検索 🙂 {number}", "quote": '"\\'},
    ]
    return json.dumps(values[form], ensure_ascii=form == 2)


def _with_extra(message: dict[str, Any], plan: _Said) -> dict[str, Any]:
    if plan.extra == 2:
        return {**message, "x_unknown": {"kept": [1, "two"]}}
    if plan.extra == 3:
        return {"x_first": None, **message}
    return message
