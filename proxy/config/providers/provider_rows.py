"""The providers whose address and variables litellm has in its code, and not in a data file.

``tests/proxy/config/providers/test_provider_rows.py`` compares each address and variable with what litellm (1.105.3)
takes. The exceptions stand there, with their reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from proxy.config.providers.provider_row import ProviderRow

_Row = ProviderRow

SERVERS = (
    "custom_openai",
    "docker_model_runner",
    "hosted_vllm",
    "lemonade",
    "litellm_proxy",
    "llamafile",
    "lm_studio",
    "vllm",
    "xinference",
)
"""Servers that operators run themselves. They have OpenAI's endpoints, and no fixed address."""

_ROWS = (
    _Row("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), embeddings=True, texts=True),
    *(
        _Row(prefix, None, embeddings=True, texts=True, text_lists=prefix != "docker_model_runner")
        for prefix in SERVERS
    ),
    _Row("azure", None, ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"), embeddings=True),
    _Row("cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",), texts=True),
    _Row("codestral", "https://codestral.mistral.ai/v1", ("CODESTRAL_API_KEY",)),
    _Row("databricks", None, ("DATABRICKS_API_KEY",), embeddings=True),
    # litellm's address, too. The completion of a prefix needs /beta (api-docs.deepseek.com, "Chat Prefix Completion"),
    # and so do strict tools (the crate adk-model 0.8.0).
    _Row("deepseek", "https://api.deepseek.com/beta", ("DEEPSEEK_API_KEY",), text_lists=False),
    _Row(
        "fireworks_ai",
        "https://api.fireworks.ai/inference/v1",
        ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"),
        embeddings=True,
        texts=True,
    ),
    _Row("github", "https://models.inference.ai.azure.com", ("GITHUB_API_KEY",)),
    _Row("groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    _Row("huggingface", "https://router.huggingface.co/v1", ("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    _Row("mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), embeddings=True),
    _Row(
        "moonshot",
        "https://api.moonshot.ai/v1",
        ("MOONSHOT_API_KEY",),
        limit_as_max_tokens=True,
        text_lists=False,
    ),
    _Row(
        "nvidia_nim",
        "https://integrate.api.nvidia.com/v1",
        ("NVIDIA_NIM_API_KEY",),
        embeddings=True,
        limit_as_max_tokens=True,
    ),
    _Row("ollama_chat", "http://localhost:11434", ("OLLAMA_API_KEY",), embeddings=True, texts=True),
    _Row("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), embeddings=True, texts=True),
    _Row("perplexity", "https://api.perplexity.ai", ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY")),
    _Row(
        "together_ai",
        "https://api.together.ai/v1",
        ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY"),
        embeddings=True,
        texts=True,
    ),
    _Row("xai", "https://api.x.ai/v1", ("XAI_API_KEY",)),
    # The rest of what litellm lists as OpenAI-compatible.
    _Row("ai21_chat", "https://api.ai21.com/studio/v1", ("AI21_API_KEY",), limit_as_max_tokens=True),
    _Row("aiml", "https://api.aimlapi.com/v1", ("AIML_API_KEY",), limit_as_max_tokens=True),
    _Row("baseten", "https://inference.baseten.co/v1", ("BASETEN_API_KEY",), limit_as_max_tokens=True),
    _Row("cometapi", "https://api.cometapi.com/v1", ("COMETAPI_KEY",), embeddings=True),
    _Row("compactifai", "https://api.compactif.ai/v1", ("COMPACTIFAI_API_KEY",)),
    _Row(
        "dashscope",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        embeddings=True,
    ),
    _Row(
        "deepinfra", "https://api.deepinfra.com/v1/openai", ("DEEPINFRA_API_KEY",), limit_as_max_tokens=True
    ),
    _Row("edenai", "https://api.edenai.run/v3", ("EDENAI_API_KEY",), embeddings=True),
    _Row("empower", "https://app.empower.dev/api/v1", ("EMPOWER_API_KEY",), limit_as_max_tokens=True),
    _Row(
        "featherless_ai",
        "https://api.featherless.ai/v1",
        ("FEATHERLESS_AI_API_KEY", "FEATHERLESS_API_KEY"),
        texts=True,
        limit_as_max_tokens=True,
    ),
    _Row(
        "friendliai",
        "https://api.friendli.ai/serverless/v1",
        ("FRIENDLIAI_API_KEY", "FRIENDLI_TOKEN"),
        limit_as_max_tokens=True,
    ),
    _Row("galadriel", "https://api.galadriel.com/v1", ("GALADRIEL_API_KEY",), limit_as_max_tokens=True),
    _Row("heroku", None, ("HEROKU_API_KEY",), text_lists=False),
    _Row(
        "hyperbolic",
        "https://api.hyperbolic.xyz/v1",
        ("HYPERBOLIC_API_KEY",),
        limit_as_max_tokens=True,
    ),
    _Row("inception", "https://api.inceptionlabs.ai/v1", ("INCEPTION_API_KEY",), limit_as_max_tokens=True),
    _Row("lambda_ai", "https://api.lambda.ai/v1", ("LAMBDA_API_KEY",), limit_as_max_tokens=True),
    _Row("meta_llama", "https://api.llama.com/compat/v1", ("LLAMA_API_KEY",)),
    _Row("minimax", "https://api.minimax.io/v1", ("MINIMAX_API_KEY",)),
    _Row(
        "modelscope",
        "https://api-inference.modelscope.cn/v1",
        ("MODELSCOPE_API_KEY",),
        text_lists=False,
    ),
    _Row("morph", "https://api.morphllm.com/v1", ("MORPH_API_KEY",), limit_as_max_tokens=True),
    _Row("nadir", "https://api.getnadir.com/v1", ("NADIR_API_KEY",), limit_as_max_tokens=True),
    _Row(
        "nebius",
        "https://api.studio.nebius.ai/v1",
        ("NEBIUS_API_KEY",),
        embeddings=True,
        limit_as_max_tokens=True,
    ),
    _Row("novita", "https://api.novita.ai/v3/openai", ("NOVITA_API_KEY",)),
    _Row("nscale", "https://inference.api.nscale.com/v1", ("NSCALE_API_KEY",), limit_as_max_tokens=True),
    _Row(
        "ovhcloud", "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", ("OVHCLOUD_API_KEY",), embeddings=True
    ),
    _Row(
        "qwen_ai_platform",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        ("QWEN_AI_PLATFORM_API_KEY", "DASHSCOPE_API_KEY"),
        embeddings=True,
    ),
    _Row(
        "qwencloud",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("QWENCLOUD_API_KEY", "DASHSCOPE_API_KEY"),
        embeddings=True,
    ),
    _Row(
        "sambanova",
        "https://api.sambanova.ai/v1",
        ("SAMBANOVA_API_KEY",),
        embeddings=True,
        limit_as_max_tokens=True,
        text_lists=False,
    ),
    _Row("tencent", "https://tokenhub-intl.tencentcloudmaas.com/v1", ("TENCENT_API_KEY",)),
    _Row("v0", "https://api.v0.dev/v1", ("V0_API_KEY",), limit_as_max_tokens=True),
    _Row(
        "vercel_ai_gateway",
        "https://ai-gateway.vercel.sh/v1",
        ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
        embeddings=True,
    ),
    _Row(
        "volcengine",
        "https://ark.cn-beijing.volces.com/api/v3",
        ("VOLCENGINE_API_KEY",),
        embeddings=True,
        limit_as_max_tokens=True,
    ),
    _Row(
        "wandb",
        "https://api.inference.wandb.ai/v1",
        ("WANDB_API_KEY",),
        embeddings=True,
        limit_as_max_tokens=True,
    ),
    _Row("zai", "https://api.z.ai/api/paas/v4", ("ZAI_API_KEY",), limit_as_max_tokens=True),
)

_BASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ai21_chat": ("AI21_API_BASE",),
        "baseten": (),
        "compactifai": (),
        "custom_openai": (),
        "featherless_ai": ("FEATHERLESS_AI_API_BASE", "FEATHERLESS_API_BASE"),
        "fireworks_ai": ("FIREWORKS_API_BASE",),
        "friendliai": ("FRIENDLI_API_BASE",),
        "huggingface": ("HF_API_BASE",),
        "lambda_ai": ("LAMBDA_API_BASE",),
        "meta_llama": ("LLAMA_API_BASE",),
        "mistral": ("MISTRAL_AZURE_API_BASE",),
        "ollama_chat": ("OLLAMA_API_BASE",),
        "openai": (),  # the file's address alone counts, as for gemini/
        "vllm": (),
        "xinference": (),
    }
)
"""The variables of the addresses that litellm does not name ``PREFIX_API_BASE``. Some providers have none."""


def _with_bases(row: ProviderRow) -> ProviderRow:
    return replace(row, bases=_BASES.get(row.prefix, (f"{row.prefix.upper()}_API_BASE",)))


ROWS: Mapping[str, ProviderRow] = MappingProxyType({row.prefix: _with_bases(row) for row in _ROWS})
"""The rows by litellm's prefix."""
