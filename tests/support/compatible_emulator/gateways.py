"""The providers of which no more is known than their addresses, and the name that they have for the answer's limit.

Most copy OpenAI's wire, or pass requests on to servers that do. Their rules are OpenAI's, without the role
``developer`` ("developer is not one of ['system', 'assistant', 'user', 'tool', 'function']", pi#5117). The source of
the addresses is what litellm 1.105.3 was seen to call. The same runs showed which services get ``max_tokens`` alone,
and which get one text in each message.
"""

from collections.abc import Mapping
from types import MappingProxyType

MAX_TOKENS: Mapping[str, str] = MappingProxyType(
    {
        "ai21_chat": "/studio/v1",
        "aiml": "/v1",
        "apertis": "/v1",
        "baseten": "/v1",
        "charity_engine": "/remotejobs/v2/inference",
        "chutes": "/v1",
        "crusoe": "/v1",
        "darkbloom": "/v1",
        "empiriolabs": "/v1",
        "empower": "/api/v1",
        "featherless_ai": "/v1",
        "friendliai": "/serverless/v1",
        "galadriel": "/v1",
        "hyperbolic": "/v1",
        "inception": "/v1",
        "lambda_ai": "/v1",
        "libertai": "/v1",
        "morph": "/v1",
        "nadir": "/v1",
        "nano-gpt": "/api/v1",
        "nebius": "/v1",
        "neosantara": "/v1",
        "nscale": "/v1",
        "pinstripes": "/v1",
        "poe": "/v1",
        "sarvam": "/v1",
        "synthetic": "/openai/v1",
        "tensormesh": "/v1",
        "v0": "/v1",
        "volcengine": "/api/v3",
        "wandb": "/v1",
        "xiaomi_mimo": "/v1",
        "zai": "/api/paas/v4",
    }
)
"""The paths of services that take the limit as ``max_tokens`` alone."""

EITHER_LIMIT: Mapping[str, str] = MappingProxyType(
    {
        "abliteration": "/v1",
        "aihubmix": "/v1",
        "assemblyai": "/v1",
        "cognition": "/v1",
        "cometapi": "/v1",
        "compactifai": "/v1",
        "cortecs": "/v1",
        "dashscope": "/compatible-mode/v1",
        "edenai": "/v3",
        "gmi": "/v1",
        "helicone": "",
        "llamagate": "/v1",
        "meta": "/v1",
        "meta_llama": "/compat/v1",
        "novita": "/v3/openai",
        "ovhcloud": "/v1",
        "parasail": "/v1",
        "prism": "/v1",
        "qwen_ai_platform": "/compatible-mode/v1",
        "qwencloud": "/compatible-mode/v1",
        "scaleway": "/v1",
        "tencent": "/v1",
        "veniceai": "/api/v1",
        "vercel_ai_gateway": "/v1",
    }
)
"""The paths of services that take both names of the limit."""

ONE_TEXT: Mapping[str, str] = MappingProxyType({"heroku": "/v1", "modelscope": "/v1"})
"""The paths of services whose messages hold one text each, and that take both names of the limit."""

ONE_TEXT_MAX_TOKENS: Mapping[str, str] = MappingProxyType({"publicai": "/v1", "sambanova": "/v1"})
"""The paths of services whose messages hold one text each, and that take ``max_tokens`` alone."""
