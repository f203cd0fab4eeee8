"""The tool calls of an answer against the tools of the request: read, checked, mended where that is safe. Pure.

    arguments ── a JSON object? ── fits the declared schema? ──▶ as they came, the very same object
                    │ no                 │ no
                    ▼                    ▼
              mend the notation ──▶ what is wrong, in words for the model: it is asked once more

A live call is run by somebody, so nothing of it is made up: a mended text must say what the broken one said, character
by character but for its notation, and a call that was cut off (``length``) is left alone. Bifrost and agentgateway
write ``{}`` for what they cannot read, and the tool runs with its defaults. The event loop waits meanwhile: all of an
answer's calls together have one :class:`Budget`.
"""

from proxy.tool_arguments.budget import Budget
from proxy.tool_arguments.check_calls import REPAIR_STEP, Checked, check_calls
from proxy.tool_arguments.declared_tools import DeclaredTools
from proxy.tool_arguments.fit_schema import is_warm, misfits, warm
from proxy.tool_arguments.mend_text import mend_text, text_within

__all__ = [
    "REPAIR_STEP",
    "Budget",
    "Checked",
    "DeclaredTools",
    "check_calls",
    "is_warm",
    "mend_text",
    "misfits",
    "text_within",
    "warm",
]
