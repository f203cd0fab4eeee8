"""The environment to set before litellm is imported, so that the import reads no ``.env`` file and opens no socket.

litellm reads these variables when it is imported. Without these variables litellm fetches its price table from the
network. A slow fetch ends after the import, and replaces the table then. litellm also loads a ``.env`` file above its
own directory, and prints hints to standard output. With the variables set, an audit hook saw no DNS look-up and no
write (measured on 1.105.3).
"""

from __future__ import annotations

import importlib
import logging
import os
from types import MappingProxyType
from typing import Any

QUIET = MappingProxyType(
    {
        "HF_HUB_OFFLINE": "1",
        # Otherwise litellm searches every error for keys in quadratic time: 1.3 s for 100 kB of quotes. Its texts are
        # not used, since its loggers are off and errors are read from the answer itself.
        "LITELLM_DISABLE_REDACT_SECRETS": "true",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_LOCAL_BLOG_POSTS": "True",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # exactly this word: "1" does not switch the fetch off
        "LITELLM_LOG": "ERROR",
        "MAX_BASE64_LENGTH_FOR_LOGGING": "0",  # otherwise all messages are searched after each answer
        "LITELLM_MODE": "PRODUCTION",  # otherwise a .env file is searched upwards from site-packages
    }
)
"""Environment variables and their values."""

LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")
"""litellm's loggers. They are switched off, because their lines quote messages and addresses."""


def quiet_litellm() -> None:
    """Set the environment and silence the loggers. Call it before the first ``import litellm``."""
    os.environ.update(QUIET)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.disabled = True
        logger.propagate = False


def skip_logging() -> None:
    """Replace litellm's functions that log a call by functions that do nothing. litellm must be imported before.

    turnright gives litellm no callbacks, so nobody reads these logs. For Ollama they ask the server about the model
    after each answer, with a call that blocks the event loop until the server answers (1.105.3).
    """
    logging_class = importlib.import_module("litellm.litellm_core_utils.litellm_logging").Logging
    for name in ("success_handler", "failure_handler"):
        setattr(logging_class, name, _do_nothing)
    for name in ("async_success_handler", "async_failure_handler"):
        setattr(logging_class, name, _do_nothing_async)


def _do_nothing(*_: Any, **__: Any) -> None:
    """Stand in for a logging function of litellm."""


async def _do_nothing_async(*_: Any, **__: Any) -> None:
    """Stand in for an asynchronous logging function of litellm."""
