"""Hypothesis strategies for legal, damaged, arbitrary and growing chat histories.

Each strategy draws a small plan of integers, tuples and lists. A pure function builds the messages from the plan.
Examples therefore shrink towards short and simple histories. No draw is filtered out, or spent on numbering texts. Each
text holds a unique token, such as `t12§`. The token shows whether a repair has lost the text, whatever was merged or
moved.
"""

from tests.support.strategies.arbitrary import any_histories
from tests.support.strategies.damages import DAMAGES, damaged_histories
from tests.support.strategies.legal import growth, legal_histories
from tests.support.strategies.media import mark_of, media_histories
from tests.support.strategies.texts import indexed_texts_of, texts_of, tokens_of

__all__ = [
    "DAMAGES",
    "any_histories",
    "damaged_histories",
    "growth",
    "indexed_texts_of",
    "legal_histories",
    "mark_of",
    "media_histories",
    "texts_of",
    "tokens_of",
]
