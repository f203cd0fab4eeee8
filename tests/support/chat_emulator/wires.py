"""The wire formats of Mistral, DeepSeek and chat templates: OpenAI's format with other judges, ids and errors."""

import string

from tests.support.chat_emulator.deepseek import judge_deepseek, thinks
from tests.support.chat_emulator.errors import DeepSeekRefusal, MistralRefusal, VllmRefusal
from tests.support.chat_emulator.mistral import judge_mistral
from tests.support.chat_emulator.templates import judge_templated
from tests.support.emulated import Refused
from tests.support.openai_emulator.wire import ChatWire

_DIGITS = string.digits + string.ascii_letters


def mistral_call_id(sequence: int, index: int) -> str:
    """Return a call id in Mistral's form: nine letters and digits."""
    number, tail = sequence * 100 + index, ""
    while number:
        number, rest = divmod(number, len(_DIGITS))
        tail = _DIGITS[rest] + tail
    return "mI" + tail.rjust(7, "0")


def deepseek_call_id(sequence: int, index: int) -> str:
    """Return a call id in DeepSeek's form."""
    return f"call_{index}_0000{sequence:04d}-emul-4ted-8000-{sequence:012d}"[:36]


def vllm_call_id(sequence: int, index: int) -> str:
    """Return a call id in vLLM's form."""
    return f"chatcmpl-tool-{sequence:016x}{index:016x}"


def _mistral_failure(status: int, message: str, type: str | None, code: str | None) -> Refused:
    kinds = {401: "invalid_request_error", 429: "rate_limited"}
    kind = type or kinds.get(status, "service_unavailable" if status >= 500 else "invalid_request_error")
    return MistralRefusal(message, status, kind, code)


def _deepseek_failure(status: int, message: str, type: str | None, code: str | None) -> Refused:
    kind = type or ("service_unavailable_error" if status >= 500 else "invalid_request_error")
    return DeepSeekRefusal(message, status, kind, code)


def _vllm_failure(status: int, message: str, type: str | None, code: str | None) -> Refused:
    return VllmRefusal(message, status)


MISTRAL = ChatWire(
    judge_mistral,
    call_id=mistral_call_id,
    fail=_mistral_failure,
    models=("mistral-large-latest",),
    unasked_usage=True,
)
DEEPSEEK = ChatWire(
    judge_deepseek,
    call_id=deepseek_call_id,
    fail=_deepseek_failure,
    thinks=thinks,
    models=("deepseek-chat", "deepseek-reasoner"),
)
TEMPLATED = ChatWire(
    judge_templated, call_id=vllm_call_id, fail=_vllm_failure, models=("meta-llama/Llama-3.3-70B-Instruct",)
)
