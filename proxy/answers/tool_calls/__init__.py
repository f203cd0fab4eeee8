"""Checks the tool calls of an answer against the tools of the request, and repairs them where that is safe.

    arguments ── a JSON object? ── fits the declared schema? ──▶ unchanged, the same object
                    │ no                 │ no
                    ▼                    ▼
              mend notation ─fails─▶ the fault, in words for the model, which is asked once more

The client runs the call, so a repair never invents a value. Repaired arguments differ from the broken arguments only in
notation, and must fit the schema too. Missing arguments become ``{}``. Calls of an answer that was cut off (``length``,
``content_filter``) are not checked. Two other gateways, Bifrost and agentgateway, write ``{}`` for arguments that they
cannot read. The tool then runs with its defaults.

The check runs on the event loop. All calls of an answer share one limit of steps (``work_limit``).
"""

from proxy.answers.tool_calls.check_calls import check_calls
from proxy.answers.tool_calls.fit_schema import is_validator_loaded, load_validator

__all__ = ["check_calls", "is_validator_loaded", "load_validator"]
