"""Fits request parameters to each provider: maps them, drops them with a count, or refuses the request.

The modules, in the order of the data:

    dialect           the fields of a row: the rules of one provider
    table             the rows, one for each provider
    openai_models     what OpenAI's models refuse, and their reasoning efforts
    gemini_models     the reasoning efforts of Gemini's models
    claude_models     the rules of Claude's models
    messages_models   the deployments whose provider has Anthropic's Messages API
    responses_models  the deployments whose chats are asked through the Responses API
    hosted_models     the rows of models whose provider has several
    choose_dialect    the row of a deployment
    fitting           the parameters while the rules change them
    fit_parameters    applies the rules in their order
    closed_schemas    schemas that a grammar can enforce
    tools             tools and tool choice
    formats           the format of the answer
    reasoning         reasoning effort, and the thinking blocks that it needs in the history
    sampling          sampling, limits and stop sequences

The rules read the row and never the provider's name.
"""

from proxy.upstream.dialects.choose_dialect import (
    Transport,
    dialect_for,
    dialect_of,
    withheld_names,
)
from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fit_parameters import FittedParameters, fit_parameters
from proxy.upstream.dialects.fitting import STEP
from proxy.upstream.dialects.formats import can_stream, with_instruction
from proxy.upstream.dialects.reasoning import lacks_thinking_blocks
from proxy.upstream.dialects.responses_models import asks_responses, asks_with_tools, may_ask_with_tools

__all__ = [
    "STEP",
    "Dialect",
    "FittedParameters",
    "Transport",
    "asks_responses",
    "asks_with_tools",
    "can_stream",
    "dialect_for",
    "dialect_of",
    "fit_parameters",
    "lacks_thinking_blocks",
    "may_ask_with_tools",
    "with_instruction",
    "withheld_names",
]
