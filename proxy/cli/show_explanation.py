"""An explanation as lines for a terminal: the changes of each step, and the tokens of each part.

Long lists are cut, and ``--json`` prints all of them. Text of a history is shown only as
:func:`proxy.cli.show_messages.printable` returns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from proxy.cli.show_messages import differences, excerpt, printable
from proxy.upstream.dialects import STEP as PARAMETERS

_TOOL_CHANGES = ("tools_withheld", "delegation_withheld", "delegation_guidance")
"""Changes of the turn guard that concern the tools, and no message."""

_PARTS = {
    "system": ("s", "34"),
    "tools": ("t", "35"),
    "first_goal": ("g", "36"),
    "older_rounds": ("o", "33"),
    "current_round": ("c", "32"),
}
"""The parts of a request, each with its letter and its colour in the bar."""

_FREE, _RESERVE = ".", "r"

_VERDICTS = {"unchanged": "32", "repaired": "33", "sent_as_is": "33", "refused": "31"}
_BOLD, _DIM, _RED, _GREEN, _PLAIN = "1", "2", "31", "32", ""

_BAR = 60
_MOST_MESSAGES = 6
"""Messages of a step that are shown before and after it, and places that are named for one rule."""

_MOST_CHANGES = 20
"""Changes that are listed one by one. The steps below the list cover all of them."""

Paint = Callable[[str, str], str]


def show_explanation(explanation: Mapping[str, Any], *, colours: bool) -> Iterator[str]:
    """Yield the lines of *explanation*: the answer of ``/v1/explain`` and the steps of the inspector."""

    def paint(text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[0m" if colours and colour else text

    verdict = explanation["verdict"]
    yield f"model     {printable(explanation['model'])} -> {printable(explanation['deployment'])}"
    yield f"profile   {explanation['profile']}"
    yield f"mode      {explanation['mode']}"
    yield f"verdict   {paint(verdict, _VERDICTS.get(verdict, _PLAIN))}"
    yield from _turn_lines(explanation["turns"])
    if explanation["refusal"]:
        refusal = explanation["refusal"]
        yield from ("", f"refused   {paint(printable(refusal['message']), _RED)}")
        yield f"          {printable(str(refusal['param']))} ({refusal['rule']})"
    for title, key in (("found", "found"), ("still wrong", "violations")):
        if explanation[key]:
            yield from ("", f"{title}:")
            yield from _violation_lines(explanation[key], paint)
    if explanation["changes"]:
        yield from ("", f"changes ({explanation['summary']}):")
        for change in explanation["changes"][:_MOST_CHANGES]:
            detail = f"  {printable(change['detail'])}" if change["detail"] else ""
            where, what = _place_of(change["step"], change), f"{change['kind']} {change['reason']}"
            yield f"  {change['step']:<12} {where:<14} {what}{detail}"
        if (more := len(explanation["changes"]) - _MOST_CHANGES) > 0:
            yield f"  and {more:,} more; --json has all of them"
    history = [(entry["index"], entry["message"]) for entry in explanation["before"]]
    for step in explanation["steps"]:
        after = [(entry["origin"], entry["message"]) for entry in step["after"]]
        yield ""
        yield from _step_lines(step, explanation["mode"], history, after, paint)
        history = after
    if explanation["budget"]:
        yield ""
        yield from _budget_table(explanation["budget"])
        yield from _budget_bars(explanation["budget"], paint)
    if explanation["dropped_parameters"]:
        names = ", ".join(map(printable, explanation["dropped_parameters"]))
        yield from ("", f"parameters that are not sent: {names}")


def _violation_lines(found: Sequence[Mapping[str, Any]], paint: Paint) -> Iterator[str]:
    """Yield each broken rule once, with the provider's words and the places."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in found:
        places.setdefault((one["rule"], one["words"]), []).append(f"messages[{one['index']}]")
    for (rule, words), where in places.items():
        yield f"  {_join_places(where)}  {rule}: {paint(printable(words), _DIM)}"


def _join_places(places: Sequence[str]) -> str:
    """Return the first of *places*, and the number of further ones."""
    named = list(dict.fromkeys(place for place in places if place))
    more = f" and {len(named) - _MOST_MESSAGES:,} more" if len(named) > _MOST_MESSAGES else ""
    return ", ".join(named[:_MOST_MESSAGES]) + more


def _step_lines(
    step: Mapping[str, Any], mode: str, before: Sequence[Any], after: Sequence[Any], paint: Paint
) -> Iterator[str]:
    """Yield one step: each kind of change with its reason, then the messages before and after."""
    yield f"{paint(step['step'], _BOLD)}: {step['what']}" if step["what"] else paint(step["step"], _BOLD)
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
            yield f"      {paint('without it: ' + printable(change['words']), _DIM)}"
    yield from _message_lines(before, after, paint)


def _message_lines(before: Sequence[Any], after: Sequence[Any], paint: Paint) -> Iterator[str]:
    """Yield the messages that a step removes and adds, and the differences in those that it rewrites."""
    was, now = {id(message) for _, message in before}, {id(message) for _, message in after}
    gone = [(at, message) for at, message in before if id(message) not in now]
    new = [(at, message) for at, message in after if id(message) not in was]
    old = {at: message for at, message in gone if at is not None}
    rewritten = [(at, old[at], message) for at, message in new if at in old]
    kept = {at for at, _, _ in rewritten}
    for at, one, other in rewritten[:_MOST_MESSAGES]:
        for minus, plus in differences(one, other):
            yield f"    {paint(f'- [{at}]'.ljust(8) + f' {minus}', _RED)}"
            yield f"    {paint(f'+ [{at}]'.ljust(8) + f' {plus}', _GREEN)}"
    if len(rewritten) > _MOST_MESSAGES:
        yield f"    and {len(rewritten) - _MOST_MESSAGES:,} more are rewritten"
    for sign, colour, some in (("-", _RED, gone), ("+", _GREEN, new)):
        whole = [(at, message) for at, message in some if at not in kept]
        for at, message in whole[:_MOST_MESSAGES]:
            place = "[new]" if at is None else f"[{at}]"
            yield f"    {paint(f'{sign} {place:<6} {excerpt(message)}', colour)}"
        if len(whole) > _MOST_MESSAGES:
            yield f"    {paint(f'{sign} and {len(whole) - _MOST_MESSAGES:,} more', colour)}"


def _budget_table(budget: Mapping[str, Any]) -> Iterator[str]:
    """Yield the budget as a table: the tokens of each part before and after, and the limit."""
    limit = "unknown" if budget["limit"] is None else f"{budget['limit']:,}"
    yield f"tokens (limit {limit}, window from: {budget['window_source']}):"
    yield f"  {'':<14}{'came in':>10}{_sent_label(budget):>14}"
    before, after = budget["parts"]["before"], budget["parts"]["after"]
    for name in _PARTS:
        yield f"  {name.replace('_', ' '):<14}{before[name]:>10,}{after[name]:>14,}"
    yield f"  {'in all':<14}{budget['estimate']:>10,}{budget['sent']:>14,}"
    for reason, cut in budget["removed"].items():
        yield f"  {reason}: {cut['messages']} messages, {cut['tokens']:,} tokens"
    if budget.get("rounds_left") is not None and budget["limit"]:
        yield f"  {budget['used_percent']} % of the limit is used"
        yield f"  a round has {budget['round_mean']:,} so far; {budget['rounds_left']:,} more fit"


def _sent_label(budget: Mapping[str, Any]) -> str:
    return "would go out" if budget.get("would") else "goes out"  # only the inspector sets "would"


def _budget_bars(budget: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield two bars, of the request before and after the changes, within the window if it is known."""
    parts = budget["parts"]
    whole = max(budget["window"] or 0, budget["estimate"], budget["sent"], 1)
    shared = (
        budget["window"] is not None and budget["limit"] is not None and budget["limit"] < budget["window"]
    )
    for title, name, tokens in (("came in", "before", "estimate"), (_sent_label(budget), "after", "sent")):
        bar, at, width = "", 0, 0
        for part, (letter, colour) in _PARTS.items():
            at += parts[name][part]
            cells = min(_BAR, round(_BAR * at / whole)) - width
            cells = max(cells, 1 if parts[name][part] and width < _BAR else 0)  # never none
            bar += paint(letter * cells, colour) if cells else ""
            width += cells
        kept = round(_BAR * budget["reserve"] / whole) if shared else 0
        kept = min(kept, _BAR - width)
        bar += _FREE * (_BAR - width - kept) + paint(_RESERVE * kept, _DIM if kept else _PLAIN)
        yield f"  {title:<13}[{bar}] {budget[tokens]:,}"
    named = [f"{letter} {name.replace('_', ' ')}" for name, (letter, _) in _PARTS.items()]
    yield f"               {', '.join([*named, f'{_FREE} free', f'{_RESERVE} reserve'])}"


def _place_of(step: str, change: Mapping[str, Any]) -> str:
    """Return the place of a change: a message, a tool, or nothing for other parameters."""
    if step == PARAMETERS or change["reason"] in _TOOL_CHANGES:
        return ""
    if step != "tools" or change["reason"] == "call_name":
        return f"messages[{change['index']}]"
    if change["reason"] in ("tool_choice", "function_call"):
        return str(change["reason"])
    return f"tools[{change['index']}]"


def _turn_lines(turns: Mapping[str, Any] | None) -> Iterator[str]:
    if turns is None:
        return
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
    yield f"rounds    {', '.join(parts)} ({turns['mode']})"
