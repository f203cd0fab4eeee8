"""Client keys and teams: who may call, which models they reach, and the limits that hold for them."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from proxy.config.allowed_models import AllowedModels
from proxy.config.durations import read_period
from proxy.config.faults import refusal
from proxy.config.instruction_text import Instruction
from proxy.config.money import Dollars, nano_dollars
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, GatewayKey, Text
from proxy.core.hidden_text import HiddenText
from sanitizers.record import record

_HASH = re.compile(r"sha256:[0-9a-fA-F]{64}")
_HASH_START = "sha256:"


def digest_of(key: bytes) -> str:
    """Return the hexadecimal SHA-256 of *key*, a client's key.

    No salt is used: keys are random, so that no table of digests helps to guess one.
    """
    return hashlib.sha256(key).hexdigest()


def _given(value: Any) -> Any:
    if value is None:
        raise refusal("has no value; leave the key out where there is no such limit")
    return value


def _some_models(value: Any) -> Any:
    if isinstance(value, list | tuple) and not value:
        raise refusal("must have at least one entry; leave the key out to allow every model")
    return value


def _model_pattern(text: str) -> str:
    if "*" in text[:-1]:
        raise refusal("a wildcard has one * at the end, as in claude-* or *")
    return text


def _key_hash(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise refusal(f"must be {_HASH_START} and 64 hexadecimal digits; `turnright key new NAME` prints one")
    return HiddenText(text.lower())


def _moment(value: Any, info: ValidationInfo) -> datetime:
    found = from_environment(value, info)
    if isinstance(found, str):
        try:
            found = datetime.fromisoformat(found) if "T" in found.upper() else date.fromisoformat(found)
        except ValueError:
            found = None
    if isinstance(found, datetime):
        if found.tzinfo is None:
            raise refusal("names no time zone; end it with Z for UTC")
        try:
            return found.astimezone(UTC)
        except OverflowError:  # in the first or the last hours of all years
            raise refusal("is out of range") from None
    if isinstance(found, date):
        return datetime(found.year, found.month, found.day, tzinfo=UTC)
    raise refusal("must be a time such as 2027-01-31T00:00:00Z")


ModelPattern = Annotated[Text, Field(max_length=256), AfterValidator(_model_pattern)]
"""The name of a model, or the beginning of names with a ``*`` at its end."""

Period = Annotated[str, BeforeValidator(read_period), BeforeValidator(from_environment)]
"""A period of spend: ``30s`` to ``30d``, or ``1mo``."""

Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A moment with its time zone, in UTC. A date alone is the beginning of that day in UTC."""


class Limited(Section):
    """The limits that a client key and a team may have. A limit that is written must have a value."""

    models: Annotated[
        tuple[ModelPattern, ...] | None, BeforeValidator(_some_models), BeforeValidator(_given)
    ] = None
    """The models that may be asked for: names, or beginnings with a ``*`` at the end. Default: every model.

    A name is compared with the name that the client sends, and with the ``model_name`` that answers for it.
    """

    rpm_limit: Annotated[Count | None, BeforeValidator(_given)] = None
    """Requests in a minute. Default: no limit."""

    tpm_limit: Annotated[Count | None, BeforeValidator(_given)] = None
    """Tokens in a minute, of prompts and answers together. Default: no limit."""

    max_parallel_requests: Annotated[Count | None, BeforeValidator(_given)] = None
    """Requests that may run at once. Default: no limit."""

    max_budget: Annotated[Dollars | None, BeforeValidator(_given)] = None
    """The spend limit in dollars for each ``budget_duration``. Default: no limit."""

    budget_duration: Annotated[Period | None, BeforeValidator(_given)] = None
    """The period of ``max_budget``: ``30s`` to ``30d``, counted from 1970-01-01, or ``1mo``, the calendar month.

    All periods are in UTC. Default: ``max_budget`` holds for ever. Refused without ``max_budget``.
    """

    never_nothing: ClassVar[frozenset[str]] = frozenset(
        {"models", "rpm_limit", "tpm_limit", "max_parallel_requests", "max_budget", "budget_duration"}
    )

    @property
    def budget_nano(self) -> int | None:
        """The spend limit in billionths of a dollar, or None without one."""
        budget: Decimal | None = self.max_budget
        return None if budget is None else nano_dollars(budget)

    @property
    def is_limited(self) -> bool:
        """True where a limit of rate, of requests at once, or of spend is set. ``models`` does not count."""
        return any(
            limit is not None
            for limit in (self.rpm_limit, self.tpm_limit, self.max_parallel_requests, self.max_budget)
        )


class ClientKey(Limited):
    """An API key for one client. Exactly one of ``key`` and ``key_hash`` is required."""

    where: ClassVar[str] = "general_settings.keys[]"

    never_nothing: ClassVar[frozenset[str]] = Limited.never_nothing | {"key", "key_hash", "expires"}

    name: Text
    """The key's name in logs, metrics, ``turns.per_key`` and ``compaction.per_key``. Required."""

    key: Annotated[GatewayKey | None, BeforeValidator(_given)] = None
    """The key, sent as ``Authorization: Bearer``. ``os.environ/NAME`` keeps it out of the file."""

    key_hash: Annotated[Annotated[Text, AfterValidator(_key_hash)] | None, BeforeValidator(_given)] = None
    """The key's SHA-256 in place of the key: ``sha256:`` and 64 hexadecimal digits. ``turnright key new`` prints it."""

    team: Text | None = None
    """The name of an entry of ``general_settings.teams``. Its limits hold beside the key's own. Default none."""

    expires: Annotated[Moment | None, BeforeValidator(_given)] = None
    """The moment from which the key is refused, such as ``2027-01-31T00:00:00Z``. Default: never."""

    instructions: Instruction | None = None
    """The operator's instructions for this key's requests. They replace those of its team. Default the team's."""

    @cached_property
    def digest(self) -> str:
        """The key's SHA-256 as 64 hexadecimal digits. Empty where the entry has neither ``key`` nor ``key_hash``."""
        if self.key_hash is not None:
            return self.key_hash.removeprefix(_HASH_START)
        return "" if self.key is None else digest_of(self.key.get_secret_value().encode())

    @property
    def expires_at(self) -> float | None:
        """The Unix time from which the key is refused, or None."""
        return None if self.expires is None else self.expires.timestamp()


class Team(Limited):
    """Client keys that share limits and instructions."""

    where: ClassVar[str] = "general_settings.teams[]"

    name: Text
    """The name that ``general_settings.keys[].team`` gives. Required."""

    instructions: Instruction | None = None
    """The operator's instructions for requests of the team's keys that have none of their own. Default none."""


@record
class FoundKey:
    """A valid key: its *name*, empty for the master key, and the Unix time from which it is refused."""

    name: str
    expires: float | None = None
    allowed: AllowedModels | None = None
    """The models that the key may ask for. None where it may ask for every model."""
