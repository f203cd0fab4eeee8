"""What a deployment is remembered under."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from proxy.config import Deployment

Key: TypeAlias = tuple[int, str]
"""The position of the entry, and the model: a wildcard stands for many, and one says nothing about the others."""


def key_of(deployment: Deployment) -> Key:
    """Return what *deployment* is remembered under; positions are those of one configuration."""
    return deployment.position, deployment.model
