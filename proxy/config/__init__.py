"""The configuration: YAML in the LiteLLM proxy's shape, or the environment, to frozen settings.

Read once at start and passed down in pieces; nothing below reads the environment or a file. ``load_settings`` is the
way in, ``resolve`` is what a request asks.
"""

from proxy.config.binding import bind_fault
from proxy.config.deployments import model_names, resolve
from proxy.config.faults import ConfigurationError, Fault
from proxy.config.loading import Loaded, load_settings
from proxy.config.render import render_faults, render_settings
from proxy.config.schema.settings import Settings

__all__ = [
    "ConfigurationError",
    "Fault",
    "Loaded",
    "Settings",
    "bind_fault",
    "load_settings",
    "model_names",
    "render_faults",
    "render_settings",
    "resolve",
]
