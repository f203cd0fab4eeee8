"""Judges that are mistral-common's validators, of the version of the package that is on the path.

``v5-serving`` is the fifth validator in mode ``serving``, as Mistral's service uses it. ``v5-test`` is the same
validator in mode ``test``, which vLLM uses. From version 1.8 on, the judges in mode ``test`` first convert OpenAI's
messages with the package's own function, as vLLM does.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from mistral_common.protocol.instruct import validator as validators
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode

from tests.judges.workers.answering import Judge, answer_questions

FIELDS = ("messages", "tools", "tool_choice", "temperature", "top_p", "max_tokens", "random_seed")
"""The fields of a request that the package knows; a server reads the others itself."""


def judges() -> dict[str, Judge]:
    """Return the judges by name: a judge for each numbered validator of the package, in two modes."""
    found: dict[str, Judge] = {}
    for name, kind in vars(validators).items():
        version = name.removeprefix("MistralRequestValidatorV")
        if version.isdecimal():
            found[f"v{version}-serving"] = partial(_judge_request, kind(ValidationMode.serving))
            found[f"v{version}-test"] = partial(_judge_openai_request, kind(ValidationMode.test))
    return found


def _judge_request(validator: Any, body: dict[str, Any]) -> None:
    given = {name: body[name] for name in FIELDS if name in body}
    validator.validate_request(ChatCompletionRequest(model=body.get("model", "m"), **given))


def _judge_openai_request(validator: Any, body: dict[str, Any]) -> None:
    convert = getattr(ChatCompletionRequest, "from_openai", None)
    if convert is None:
        _judge_request(validator, {**body, "messages": [_with_joined_texts(one) for one in body["messages"]]})
        return
    given = copy.deepcopy({name: body[name] for name in FIELDS if name in body})
    validator.validate_request(convert(**given))


def _with_joined_texts(message: dict[str, Any]) -> dict[str, Any]:
    """Return an assistant message with its text parts joined, as vLLM joins them for versions before 1.8."""
    content = message.get("content")
    if message["role"] != "assistant" or not isinstance(content, list):
        return message
    return {**message, "content": "\n".join(part["text"] for part in content)}


if __name__ == "__main__":
    answer_questions(judges())
