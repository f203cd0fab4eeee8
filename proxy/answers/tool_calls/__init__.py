"""Checks the tool calls of an answer against the tools of the request, and repairs them where that is safe.

    arguments ── a JSON object? ── fits the declared schema? ──▶ unchanged, the same object
                    │ no                 │ no
                    ▼                    ▼
              mend the notation ──▶ the fault, in words for the model, which is asked once more

Somebody runs a live call, so nothing in it is made up. Repaired arguments must equal the broken ones, character by
character except for notation. A call that was cut off (``length``) is left alone. Bifrost and agentgateway write
``{}`` for arguments that they cannot read, and the tool then runs with its defaults.

The check runs on the event loop. All calls of an answer share one limit of steps (``work_limit``).
"""

from proxy.answers.tool_calls.check_calls import check_calls
from proxy.answers.tool_calls.fit_schema import is_validator_loaded, load_validator

__all__ = ["check_calls", "is_validator_loaded", "load_validator"]
