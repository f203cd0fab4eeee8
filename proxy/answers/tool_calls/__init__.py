"""Checks the tool calls of an answer against the tools of the request, and repairs them where that is safe.

    arguments ── a JSON object? ── fits the declared schema? ──▶ unchanged, the same object
                    │ no                 │ no
                    ▼                    ▼
              mend the notation ──▶ the fault, in words for the model, which is asked once more

Somebody runs a live call, so nothing in it is made up. Repaired arguments must equal the broken ones, character by
character except for notation. A call that was cut off (``length``) is left alone. Bifrost and agentgateway write
``{}`` for arguments that they cannot read, and the tool then runs with its defaults.

The check runs on the event loop. All calls of an answer share one :class:`WorkLimit` of steps.
"""

from proxy.answers.tool_calls.check_calls import REPAIR_STEP, Checked, check_calls
from proxy.answers.tool_calls.declared_tools import DeclaredTools
from proxy.answers.tool_calls.fit_schema import find_schema_faults, is_validator_loaded, load_validator
from proxy.answers.tool_calls.mend_arguments import mend_notation, unwrap_encoded
from proxy.answers.tool_calls.work_limit import WorkLimit

__all__ = [
    "REPAIR_STEP",
    "Checked",
    "DeclaredTools",
    "WorkLimit",
    "check_calls",
    "find_schema_faults",
    "is_validator_loaded",
    "load_validator",
    "mend_notation",
    "unwrap_encoded",
]
