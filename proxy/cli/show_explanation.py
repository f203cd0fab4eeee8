"""The explanation of a request as lines for a terminal: the changes of each step, and the tokens of each part.

Long lists are cut, and ``--json`` prints all of them. Text of a history is shown only as
:func:`proxy.cli.show_messages.printable` returns it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from proxy.cli.render_lines import Part, render_lines, two_columns
from proxy.cli.show_messages import differences, excerpt, printable
from proxy.planning.plan import ITEMS
from proxy.upstream.dialects import STEP as PARAMETERS

_OF_NO_MESSAGE = (
    *("tools_withheld", "delegation_withheld", "delegation_guidance"),
    *("refused_parameter", "schema", "call_ids"),
)
"""Changes of the turn guard and of repairs that concern tools, parameters or all calls, and no single message."""

_PARTS = {
    "system": ("s", "blue"),
    "tools": ("t", "magenta"),
    "first_goal": ("g", "cyan"),
    "older_rounds": ("o", "yellow"),
    "current_round": ("c", "green"),
}
"""The parts of a request, each with its letter and its colour in the bar."""

_FREE, _RESERVE = ".", "r"

_VERDICTS = {"unchanged": "green", "repaired": "yellow", "sent_as_is": "yellow", "refused": "red"}

_BAR = 60
_MAX_MESSAGES = 6
"""The most messages that are shown before and after a step, and the most places that are named for one rule."""

_MAX_CHANGES = 20
"""The most changes in the list of changes. The steps below the list show every change."""


def show_explanation(explanation: Mapping[str, Any], *, colours: bool) -> Iterator[str]:
    """Yield the lines of *explanation*: the answer of ``/v1/explain`` and the steps of the inspector."""
    return render_lines(_parts(explanation), colours=colours)


def _parts(explanation: Mapping[str, Any]) -> Iterator[Part]:
    yield two_columns(_head(explanation), width=10)
    if explanation["refusal"]:
        refusal = explanation["refusal"]
        place = f"{printable(str(refusal['param']))} ({refusal['rule']})"
        yield ""
        yield two_columns(
            [("refused", Text.assemble((printable(refusal["message"]), "red"))), ("", place)], width=10
        )
    for title, key in (("found", "found"), ("still wrong", "violations")):
        if explanation[key]:
            yield from ("", f"{title}:")
            yield from _violation_lines(explanation[key])
    if explanation["changes"]:
        yield from ("", f"changes ({explanation['summary']}):", _change_table(explanation["changes"]))
        if (more := len(explanation["changes"]) - _MAX_CHANGES) > 0:
            yield f"  and {more:,} more; --json has all of them"
    history = [(entry["index"], entry["message"]) for entry in explanation["before"]]
    for step in explanation["steps"]:
        after = [(entry["origin"], entry["message"]) for entry in step["after"]]
        yield ""
        yield from _step_lines(step, explanation["mode"], history, after)
        history = after
    if explanation["budget"]:
        yield ""
        yield from _budget_parts(explanation["budget"])
        yield from _budget_bars(explanation["budget"])
    if explanation["dropped_parameters"]:
        names = ", ".join(map(printable, explanation["dropped_parameters"]))
        yield from ("", f"parameters that are not sent: {names}")


def _head(explanation: Mapping[str, Any]) -> Iterator[tuple[str, str | Text]]:
    verdict, turns = explanation["verdict"], explanation["turns"]
    yield "model", f"{printable(explanation['model'])} -> {printable(explanation['deployment'])}"
    yield "profile", explanation["profile"]
    yield "mode", explanation["mode"]
    yield "verdict", Text.assemble((verdict, _VERDICTS.get(verdict, "")))
    if turns is not None:
        yield "rounds", _rounds(turns)


def _change_table(changes: Sequence[Mapping[str, Any]]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0), pad_edge=True)
    for width in (1, 12, 14, 0):
        table.add_column(min_width=width)
    for change in changes[:_MAX_CHANGES]:
        detail = f"  {printable(change['detail'])}" if change["detail"] else ""
        what = f"{change['kind']} {change['reason']}{detail}"
        table.add_row("", change["step"], _place_of(change["step"], change), what)
    return table


def _violation_lines(found: Sequence[Mapping[str, Any]]) -> Iterator[Text]:
    """Yield each broken rule once, with the provider's error message and the places."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in found:
        places.setdefault((one["rule"], one["words"]), []).append(f"messages[{one['index']}]")
    for (rule, words), where in places.items():
        yield Text.assemble(f"  {_join_places(where)}  {rule}: ", (printable(words), "dim"))


def _join_places(places: Sequence[str]) -> str:
    """Return the first few different *places* as a text, and the number of further places."""
    named = list(dict.fromkeys(place for place in places if place))
    more = f" and {len(named) - _MAX_MESSAGES:,} more" if len(named) > _MAX_MESSAGES else ""
    return ", ".join(named[:_MAX_MESSAGES]) + more


def _step_lines(
    step: Mapping[str, Any], mode: str, before: Sequence[Any], after: Sequence[Any]
) -> Iterator[Part]:
    """Yield one step: each kind of change with its reason, then the messages that differ before and after."""
    yield Text.assemble((step["step"], "bold"), f": {step['what']}" if step["what"] else "")
    if not step["made"]:
        yield f"  (mode {mode} does not do this: it is what mode repair would do)"
    shown: set[str] = set()
    for change in step["changes"]:
        reason = change["reason"]
        if reason in shown:
            continue
        shown.add(reason)
        same = [one for one in step["changes"] if one["reason"] == reason]
        places = _join_places([_place_of(step["step"], one) for one in same])
        where = places or printable(_join_places([one["detail"] for one in same]))
        yield f"    {change['kind']} {reason}  {where}".rstrip()
        if change["why"]:
            yield f"      {change['why']}"
        if change["words"]:
            yield Text(f"      without it: {printable(change['words'])}", "dim")
    yield from _message_lines(before, after)


def _message_lines(before: Sequence[Any], after: Sequence[Any]) -> Iterator[Part]:
    """Yield the messages that a step removes and adds, and the differences in those that it rewrites."""
    was, now = {id(message) for _, message in before}, {id(message) for _, message in after}
    gone = [(at, message) for at, message in before if id(message) not in now]
    new = [(at, message) for at, message in after if id(message) not in was]
    old = {at: message for at, message in gone if at is not None}
    rewritten = [(at, old[at], message) for at, message in new if at in old]
    kept = {at for at, _, _ in rewritten}
    for at, one, other in rewritten[:_MAX_MESSAGES]:
        for minus, plus in differences(one, other):
            yield Text(f"    {f'- [{at}]':<8} {minus}", "red")
            yield Text(f"    {f'+ [{at}]':<8} {plus}", "green")
    if len(rewritten) > _MAX_MESSAGES:
        yield f"    and {len(rewritten) - _MAX_MESSAGES:,} more are rewritten"
    for sign, colour, some in (("-", "red", gone), ("+", "green", new)):
        whole = [(at, message) for at, message in some if at not in kept]
        for at, message in whole[:_MAX_MESSAGES]:
            place = "[new]" if at is None else f"[{at}]"
            yield Text(f"    {sign} {place:<6} {excerpt(message)}", colour)
        if len(whole) > _MAX_MESSAGES:
            yield Text(f"    {sign} and {len(whole) - _MAX_MESSAGES:,} more", colour)


def _budget_parts(budget: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the budget as a table: the tokens of each part before and after, and the limit."""
    limit = "unknown" if budget["limit"] is None else f"{budget['limit']:,}"
    yield f"tokens (limit {limit}, window from: {budget['window_source']}):"
    table = Table(box=None, header_style="", padding=(0, 0, 0, 2))
    table.add_column(min_width=14)
    table.add_column("came in", justify="right", min_width=8)
    table.add_column(_sent_label(budget), justify="right", min_width=12)
    before, after = budget["parts"]["before"], budget["parts"]["after"]
    for name in _PARTS:
        table.add_row(name.replace("_", " "), f"{before[name]:,}", f"{after[name]:,}")
    table.add_row("in all", f"{budget['estimate']:,}", f"{budget['sent']:,}")
    yield table
    for reason, cut in budget["removed"].items():
        yield f"  {reason}: {cut['messages']} messages, {cut['tokens']:,} tokens"
    if budget.get("rounds_left") is not None and budget["limit"]:
        yield f"  {budget['used_percent']} % of the limit is used"
        yield f"  a round has {budget['round_mean']:,} so far; {budget['rounds_left']:,} more fit"


def _sent_label(budget: Mapping[str, Any]) -> str:
    return "would go out" if budget.get("would") else "goes out"  # only the inspector sets "would"


def _budget_bars(budget: Mapping[str, Any]) -> Iterator[Part]:
    """Yield a bar of the tokens before the changes, a bar of the tokens after them, and a legend.

    The full width of a bar is the largest of the window and the two token counts.
    """
    parts = budget["parts"]
    whole = max(budget["window"] or 0, budget["estimate"], budget["sent"], 1)
    shared = (
        budget["window"] is not None and budget["limit"] is not None and budget["limit"] < budget["window"]
    )
    for title, name, tokens in (("came in", "before", "estimate"), (_sent_label(budget), "after", "sent")):
        bar, at, width = Text(), 0, 0
        for part, (letter, colour) in _PARTS.items():
            at += parts[name][part]
            cells = min(_BAR, round(_BAR * at / whole)) - width
            # A part with few tokens still gets a cell, while there is room.
            cells = max(cells, 1 if parts[name][part] and width < _BAR else 0)
            bar.append(letter * cells, colour)
            width += cells
        kept = round(_BAR * budget["reserve"] / whole) if shared else 0
        kept = min(kept, _BAR - width)
        bar.append(_FREE * (_BAR - width - kept)).append(_RESERVE * kept, "dim")
        yield Text.assemble(f"  {title:<13}[", bar, f"] {budget[tokens]:,}")
    named = [f"{letter} {name.replace('_', ' ')}" for name, (letter, _) in _PARTS.items()]
    yield f"               {', '.join([*named, f'{_FREE} free', f'{_RESERVE} reserve'])}"


def _place_of(step: str, change: Mapping[str, Any]) -> str:
    """Return the place of a change: a message, a tool, the parameter that chooses a tool, or an empty text."""
    if step == PARAMETERS or change["reason"] in _OF_NO_MESSAGE:
        return ""
    if step == ITEMS and change["detail"].startswith("tool"):
        return str(change["detail"]).partition(":")[0]
    if step != "tools" or change["reason"] == "call_name":
        return f"messages[{change['index']}]"
    if change["reason"] in ("tool_choice", "function_call"):
        return str(change["reason"])
    return f"tools[{change['index']}]"


def _rounds(turns: Mapping[str, Any]) -> str:
    of = f" of {turns['limit']}" if turns["limit"] else ""
    parts = [f"{turns['rounds']}{of} since the user last spoke"]
    if turns["delegation_rounds"]:
        parts.append(f"{turns['delegation_rounds']} that delegate")
    if turns["warns"]:
        parts.append("warning")
    if turns["loop_period"]:
        parts.append(f"a loop of {turns['loop_period']}")
    if turns["wrap_up"]:
        parts.append(f"wrap-up: {turns['wrap_up']}")
    return f"{', '.join(parts)} ({turns['mode']})"
