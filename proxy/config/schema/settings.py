"""``Settings``: the whole configuration. It never changes, and a reload makes a new object.

The sections are not properties, so reading one costs a request only a dictionary access. The index of the model list is
built at its first use and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PrivateAttr
from typing_extensions import override

from proxy.config.allowed_models import AllowedModels
from proxy.config.faults import refusal
from proxy.config.schema.compaction import Compaction, KeyCompaction, ModelCompaction
from proxy.config.schema.credentials import CredentialEntry, Credentials
from proxy.config.schema.general import Admin, GeneralSettings, Media
from proxy.config.schema.keys import ClientKey, Team
from proxy.config.schema.limits import Limits
from proxy.config.schema.model_list import LitellmParams, ModelEntry, ModelInfo
from proxy.config.schema.observability import Inspector, Logs, Tracing
from proxy.config.schema.policies import Budget, Sanitize
from proxy.config.schema.router import Alias, RouterSettings
from proxy.config.schema.routes import ANY_MODEL, ProviderAccess, Routes
from proxy.config.schema.section import Section
from proxy.config.schema.sessions import Sessions
from proxy.config.schema.store import Store
from proxy.config.schema.turns import KeyTurns, ModelTurns, Turns
from proxy.config.values import empty_section
from proxy.core.forward_proxies import ForwardProxies

_OrEmpty = BeforeValidator(empty_section)


def _at_least_one(value: Any) -> Any:
    # pydantic's min_length counts only valid entries, and would also fail where an entry is faulty.
    if isinstance(value, list | tuple) and not value:
        raise refusal("must have at least one entry")
    return value


class Settings(Section):
    """A valid configuration."""

    model_list: Annotated[tuple[ModelEntry, ...], BeforeValidator(_at_least_one)]
    """The served models, at least one. Required."""

    credential_list: tuple[CredentialEntry, ...] = ()
    """Credentials with names, for entries of ``model_list`` that name them. Default none."""

    router_settings: Annotated[RouterSettings, _OrEmpty] = Field(default_factory=RouterSettings)
    """Retries, fallbacks and time limits. LiteLLM's ``litellm_settings`` is read for the same keys."""

    general_settings: Annotated[GeneralSettings, _OrEmpty] = Field(default_factory=GeneralSettings)
    """The server's own settings."""

    sanitize: Annotated[Sanitize, _OrEmpty] = Field(default_factory=Sanitize)
    """The treatment of a history that the provider would refuse."""

    budget: Annotated[Budget, _OrEmpty] = Field(default_factory=Budget)
    """The rules that fit a history into the model's window."""

    turns: Annotated[Turns, _OrEmpty] = Field(default_factory=Turns)
    """The guard against agents that do not stop."""

    limits: Annotated[Limits, _OrEmpty] = Field(default_factory=Limits)
    """Rules for the limits of client keys and teams."""

    compaction: Annotated[Compaction, _OrEmpty] = Field(default_factory=Compaction)
    """A memory of the older messages, in place of these messages, where a history becomes long."""

    sessions: Annotated[Sessions, _OrEmpty] = Field(default_factory=Sessions)
    """Stored responses and conversations of the Responses API."""

    store: Annotated[Store, _OrEmpty] = Field(default_factory=Store)
    """The store of state that outlives a request."""

    _unavailable: Mapping[str, tuple[str, ...]] = PrivateAttr(default_factory=dict)

    _access: Mapping[str, ProviderAccess] = PrivateAttr(default_factory=dict)

    _forward_proxies: ForwardProxies = PrivateAttr(default_factory=ForwardProxies)

    _places: tuple[int, ...] = PrivateAttr(default=())

    @property
    def entries(self) -> Mapping[int, ModelEntry]:
        """The entries of ``model_list`` by their positions in the file, where left-out entries count too."""
        return dict(zip(self._places or range(len(self.model_list)), self.model_list, strict=True))

    def path_of_entry(self, position: int) -> str:
        """Return the path of an entry by its position in the file. ``Places.written`` turns it into the file's path."""
        return f"model_list[{[*self.entries].index(position)}]"

    @property
    def unavailable(self) -> Mapping[str, tuple[str, ...]]:
        """The names of models that were left out, with the unset or empty environment variables that they need."""
        return self._unavailable

    @property
    def names_any_model(self) -> bool:
        """True where an entry has the model ``*`` alone, so that the client names the provider."""
        return any(entry.litellm_params.model == ANY_MODEL for entry in self.model_list)

    def with_environment(
        self,
        unavailable: Mapping[str, tuple[str, ...]],
        access: Mapping[str, ProviderAccess],
        places: Sequence[int] = (),
    ) -> Settings:
        """Return a copy that knows the *unavailable* models, and the keys of providers in the environment.

        *places* are the positions of the entries in the file, or none where the file has no other entries.
        """
        copy = self.model_copy()
        copy._unavailable, copy._access, copy._places = dict(unavailable), dict(access), tuple(places)
        return copy

    def with_forward_proxies(self, forward_proxies: ForwardProxies) -> Settings:
        """Return a copy whose deployments know the forward proxies that the environment names."""
        copy = self.model_copy()
        copy._forward_proxies = forward_proxies
        return copy

    @cached_property
    def routes(self) -> Routes:
        """The index of the model list. ``proxy.config.pools.resolve`` reads it."""
        routes = Routes.of(
            self.entries,
            default_timeout_s=self.router_settings.timeout,
            credentials=self.credential_list,
            access=self._access,
            aliases=self.router_settings.model_group_alias,
            forward_proxies=self._forward_proxies,
            is_shared=self.general_settings.has_several_keys,
        )
        return routes.leaving_out(self._unavailable) if self._unavailable else routes

    def allowed_models(self, key: str) -> AllowedModels | None:
        """Return the models that the client key with the name *key* may ask for, or None where it may ask for all.

        The empty name is that of the master key, which may ask for every model.
        """
        return self.general_settings.allowed_models(key)

    @override
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Settings:
        """Copy as pydantic does, without the cached index.

        The entries' positions are dropped if *update* replaces ``model_list``.
        """
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("routes", None)
        if update and "model_list" in update:
            copy._places = ()
        return copy


SECTIONS: Mapping[str, type[Section]] = {
    section.where: section
    for section in (
        Settings,
        ModelEntry,
        LitellmParams,
        ModelInfo,
        CredentialEntry,
        Credentials,
        RouterSettings,
        Alias,
        GeneralSettings,
        Admin,
        Inspector,
        Logs,
        Media,
        Tracing,
        ClientKey,
        Team,
        Sanitize,
        Budget,
        Turns,
        ModelTurns,
        KeyTurns,
        Compaction,
        ModelCompaction,
        KeyCompaction,
        Limits,
        Sessions,
        Store,
    )
}
"""Every section by its path in the file."""
