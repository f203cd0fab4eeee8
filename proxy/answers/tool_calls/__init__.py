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

from proxy.answers.tool_calls.check_calls import REPAIR_STEP, Checked, check_calls
from proxy.answers.tool_calls.declared_tools import DeclaredTools
from proxy.answers.tool_calls.fit_schema import is_warm, misfits, warm
from proxy.answers.tool_calls.mend_arguments import mend_text, text_within
from proxy.answers.tool_calls.work_limit import Budget

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
