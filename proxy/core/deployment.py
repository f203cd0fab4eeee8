"""A deployment: one model at one provider, with the credentials for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import SecretStr
from typing_extensions import override

Transport = Literal["auto", "litellm", "direct"]

Key: TypeAlias = tuple[int, str]
"""What a deployment is remembered under in one configuration: the position of its entry, and the model, since a
wildcard stands for many, and one says nothing about the others."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One way to get an answer: a model at a provider, with the credentials for it."""

    name: str
    """The ``model_name`` of the entry: a plain name, or the wildcard."""

    model: str
    """The model in litellm's spelling, a wildcard already replaced: ``gemini/gemini-2.5-pro``, ``gpt-4o``."""

    provider: str
    """What stands before the first slash; ``openai`` for a bare OpenAI name."""

    model_id: str
    """What stands after it: the provider's own name of the model."""

    api_key: SecretStr | None
    api_base: str | None
    timeout_s: float
    """Seconds for one attempt: the entry's own, or the router's deadline."""

    allowed_openai_params: frozenset[str]
    transport: Transport
    max_input_tokens: int | None
    max_output_tokens: int | None
    extra_headers: Mapping[str, SecretStr]
    credentials: Mapping[str, SecretStr | str]
    """Further arguments of litellm's call, under its names (``aws_region_name``, ``vertex_project`` ...)."""

    label: str
    """The metric label, from a closed set: the configured name or the wildcard itself."""

    position: int
    """The entry's place in ``model_list``, from 0: what tells the members of a pool apart."""

    profile: str | None = None
    """The name of the rules for its histories, where the entry gives one."""

    key: Key = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make its key once, and its hash: much is kept by deployments, and asked in every request."""
        key = self.position, self.model
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "_hash", hash(key))

    @override
    def __hash__(self) -> int:
        """Return that of its key, which tells the deployments of a configuration apart."""
        return self._hash
