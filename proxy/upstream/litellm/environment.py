"""What must be set before litellm is imported, so that importing it reads no file and opens no socket.

litellm reads these when it is imported. Without them it fetches its price table from the network (and swaps it
at run time when a late fetch succeeds), loads a ``.env`` file that it finds above its own directory, and prints
hints to standard output. Measured on 1.105.3 with an audit hook: with them there is no look-up and no write.
"""

from __future__ import annotations

import logging
import os
from types import MappingProxyType

QUIET = MappingProxyType(
    {
        "HF_HUB_OFFLINE": "1",
        # It searches every error for keys, in a time that is quadratic: 1.3 s for 100 kB of quotes. Its texts go
        # nowhere: its loggers are off, and errors are read from the answer itself.
        "LITELLM_DISABLE_REDACT_SECRETS": "true",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_LOCAL_BLOG_POSTS": "True",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # exactly this word: "1" does not switch the fetch off
        "LITELLM_LOG": "ERROR",
        "MAX_BASE64_LENGTH_FOR_LOGGING": "0",  # otherwise all messages are searched behind each answer, for its log
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
