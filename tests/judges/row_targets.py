"""A target for each row of the providers on OpenAI's wire, beside those that ``targets`` has."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from sanitizers.profile_names import profile_for
from tests.behaviours.transports_agree.targets import models_of
from tests.judges.targets import MISTRAL_SERVICE, OPENAI_TYPES, TARGETS, Target

_DATED = {"api_version": "2024-10-21"}

AZURE_ADDRESSES: dict[str, tuple[str, dict[str, str]]] = {
    "azure, a version": ("", _DATED),
    "azure, no version": ("/openai/v1", {}),
}
"""The path and the settings of both forms of Azure's addresses."""


JOINED = "docker_model_runner/some-model"
"""The server whose bodies differ from those of other servers by joined texts alone.

Templates judge the bodies of the others, and read joined texts in any case. ``test_judges`` compares the bodies.
"""


def row_targets() -> Iterator[Target]:
    """Yield the targets: one for each model that the comparison of the transports has for a row.

    A model of ``TARGETS`` has none here. Servers with chat templates come first, since they have the most work.
    """
    known = {target.model for target in TARGETS if target.transport == "auto"}
    models = [
        model
        for prefix in sorted({*ROWS, *listed_providers()})
        for model in models_of(prefix)
        if model not in known
    ]
    for model in sorted(models, key=lambda model: (_templates_of(model) is None, model)):
        is_mistral = profile_for(model).name == "mistral"
        judges = (*OPENAI_TYPES, *MISTRAL_SERVICE) if is_mistral else OPENAI_TYPES
        if model.startswith("azure/"):
            for name, (path, settings) in AZURE_ADDRESSES.items():
                own = model.removeprefix("azure/")
                yield Target(f"{name}/{own}", model, judges, path=path, settings=settings)
        else:
            yield Target(model, model, judges, templates=_templates_of(model))


def _templates_of(model: str) -> str | None:
    """Return the family of chat templates that judge a model's bodies, or None."""
    return "others" if profile_for(model).name == "chat-template" and model != JOINED else None


ROW_TARGETS = tuple(row_targets())
