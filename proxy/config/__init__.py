"""A file or the environment, to frozen settings, or every fault at once. YAML in the LiteLLM proxy's shape.

It is read once at start, or at a reload. No other room reads the file or the settings in the environment. In the order
of the data:

    loading                           the way in: ``load_settings``
    yaml_text, environment            the text of a file, and what the environment stands for
    schema                            the sections of a configuration; values are the types of their fields
    litellm_settings, reserved_params settings of the LiteLLM proxy that mean something here, and those that are ours
    ignored_keys, not_built           settings that are known and do nothing here
    validation, faults                what is wrong, with its place; cross_checks are about several sections
    binding                           an address that must not be listened on
    remarks                           what is allowed and worth a word
    render                            faults and settings for a reader
    pools                             from a model's name to the deployments that answer for it
    addresses                         the providers that are servers of one's own
"""

from proxy.config.binding import bind_fault
from proxy.config.faults import ConfigurationError, Fault
from proxy.config.loading import Loaded, load_settings
from proxy.config.pools import model_names, resolve
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
