"""The models that a client key may ask for: those that both its own list and its team's list allow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

_WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class _Patterns:
    """One list of ``models``: whole names, and beginnings of names."""

    names: frozenset[str]
    starts: tuple[str, ...]

    @classmethod
    def of(cls, models: Collection[str]) -> _Patterns:
        return cls(
            frozenset(models),
            tuple(model[:-1] for model in models if model.endswith(_WILDCARD)),
        )

    def allows(self, names: Sequence[str]) -> bool:
        for name in names:  # noqa: SIM110 - a generator would cost each request three times as much
            if name in self.names or name.startswith(self.starts):
                return True
        return False


@dataclass(frozen=True, slots=True)
class AllowedModels:
    """The models that a client key may ask for."""

    lists: tuple[_Patterns, ...]

    @classmethod
    def of(cls, *lists: Collection[str] | None) -> AllowedModels | None:
        """Return what all *lists* of patterns allow together, or None where no list is given.

        A pattern is a name, or the beginning of names with a ``*`` at its end. None stands for a list that allows all.
        """
        given = tuple(_Patterns.of(models) for models in lists if models is not None)
        return cls(given) if given else None

    @property
    def whole_names(self) -> tuple[str, ...]:
        """The names in the lists that are no wildcards, each once and sorted."""
        names = {name for patterns in self.lists for name in patterns.names if not name.endswith(_WILDCARD)}
        return tuple(sorted(names))

    @property
    def beginnings(self) -> tuple[str, ...]:
        """The beginnings of names in the lists, each once and sorted."""
        return tuple(sorted({start for patterns in self.lists for start in patterns.starts}))

    def allows(self, *names: str) -> bool:
        """Return True where each list allows at least one of *names*, which all stand for one model.

        The names are the one that the client sent, and the ``model_name`` of the entry that answers for it. An entry's
        wildcard is allowed by itself, and by a pattern that covers all its names.
        """
        for patterns in self.lists:  # noqa: SIM110 - as above
            if not patterns.allows(names):
                return False
        return True
