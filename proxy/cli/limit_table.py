"""The limits of client keys and teams, as aligned lines that ``turnright check`` prints."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.cli.render_lines import render_lines, two_columns
from proxy.config import Settings
from proxy.config.schema.keys import ClientKey, Limited, Team

_DOWN = {
    "share": "each replica enforces its share of the limits",
    "open": "no limit is enforced",
    "refuse": "requests of limited keys get 503",
}
_PERIODS = {None: "in all", "1mo": "a calendar month", "1h": "an hour", "1d": "a day", "7d": "a week"}


def limit_lines(settings: Settings) -> Iterator[str]:
    """Yield the models and limits of each key and team that has any, as lines without a newline."""
    general = settings.general_settings
    holders: tuple[ClientKey | Team, ...] = (*general.teams, *general.keys)
    rows = [(_owner(each), text) for each in holders if (text := ", ".join(_parts(each)))]
    if not rows:
        return
    if any(each.is_limited for each in holders):
        limits = settings.limits
        rows.append(("while the store is down", _DOWN[limits.on_store_down]))
        rows.append(("at once", f"{100 * limits.burst:g} % of a minute's limit"))
    yield ""
    yield from render_lines(("Models and limits of keys.", "", two_columns(rows, width=16, indent=4)))


def _owner(holder: ClientKey | Team) -> str:
    return f"{'key' if isinstance(holder, ClientKey) else 'team'} {holder.name}"


def _parts(holder: ClientKey | Team) -> Iterator[str]:
    if holder.models is not None:
        yield f"models {' '.join(holder.models)}"
    yield from _limits(holder)
    if isinstance(holder, ClientKey):
        if holder.team is not None:
            yield f"and the limits of team {holder.team}"
        if holder.expires is not None:
            yield f"until {holder.expires:%Y-%m-%d %H:%M} UTC"


def _limits(holder: Limited) -> Iterator[str]:
    if holder.rpm_limit is not None:
        yield f"{holder.rpm_limit:,} requests a minute"
    if holder.tpm_limit is not None:
        yield f"{holder.tpm_limit:,} tokens a minute"
    if holder.max_parallel_requests is not None:
        yield f"{holder.max_parallel_requests:,} requests at once"
    if holder.max_budget is not None:
        period = holder.budget_duration
        yield f"${holder.max_budget:f} {_PERIODS.get(period, f'in each {period}')}"
