"""Reads a file or the environment into frozen settings, or reports every fault at once.

The file is YAML in the LiteLLM proxy's shape. It is read at start and at each reload. The command line opens the file
and passes its bytes to ``load_settings``. The modules of this package, in the order in which they handle the data:

    loading                           the entry: ``load_settings``
    yaml_text, environment            the text of a file, and the configuration from provider keys
    schema                            the sections of a configuration; values are the types of their fields
    instruction_text                  the operator's instructions: a text, or a file's
    instruction_sizes                 the lengths of these texts for each model and key
    durations, money                  long times, in seconds or with a unit; amounts of dollars
    json_values                       the types of values that are JSON of any shape
    file_variables                    the variables that a file sets itself
    references                        texts that stand for the value of an environment variable
    like_references                   texts that look like references to variables, and are none
    address_variables                 the addresses that litellm reads from the environment
    litellm_settings, reserved_params keys of the LiteLLM proxy that are folded in, and parameters clients may not set
    sort_keys                         LiteLLM's keys: taken, ignored_keys, refused_keys, refused_values
    coming_from_litellm               the tables of these keys as a page of the documents
    unset_variables                   the models that are left out, since a variable is not set
    unresolved_texts                  warnings about credentials that look like references
    litellm_table                     the rows of litellm's table of models, read as data
    litellm_models                    the models that litellm's table lists
    validation, faults                faults; cross_checks are about several sections
    price_fields                      the operator's prices in LiteLLM's spelling, and their faults
    key_checks                        checks of client keys and teams
    transport_checks                  checks of entries with the direct transport
    override_checks                   checks of names in per_model and per_key, and of summarizing models
    raw_names                         the names in a file that is not validated so far
    places                            the lines of faults and warnings in the file
    sdk_credentials                   places where the SDKs of AWS and Google find credentials
    binding                           addresses that need a key
    forward_proxy_warnings            warnings of direct calls that miss a forward proxy
    remarks                           warnings: valid settings that are probably a mistake
    render                            faults and settings as text
    pools                             the deployments that answer for a model's name
    allowed_models                    the models that a client key may ask for
    list_models                       the names for ``/v1/models``
    addresses                         the addresses of providers on the direct transport
    redis_address                     the address of a Redis or Valkey server
    store_address                     the address of a store
"""

from proxy.config.binding import bind_fault
from proxy.config.faults import ConfigurationError, Fault
from proxy.config.loading import Loaded, load_settings
from proxy.config.places import Places
from proxy.config.pools import model_names, resolve
from proxy.config.render import render_faults, render_settings, render_warning
from proxy.config.schema.settings import Settings

__all__ = [
    "ConfigurationError",
    "Fault",
    "Loaded",
    "Places",
    "Settings",
    "bind_fault",
    "load_settings",
    "model_names",
    "render_faults",
    "render_settings",
    "render_warning",
    "resolve",
]
