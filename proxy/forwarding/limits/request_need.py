"""The tokens and the money that one request may use, as far as its plan tells."""

from __future__ import annotations

from proxy.core.key_errors import Holder, RequestNeverFits
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.planning.prices import Prices, bound_of

_MOST_NANO = 2**53 - 1
"""The largest number that a store's script adds up exactly: 9 million dollars."""


def tokens_to_claim(
    prompt: int, longest_answer: int | None, usual: int, largest: int | None, holder: Holder = "key"
) -> int:
    """Return the tokens that a request claims: its *prompt*, and its usual answer.

    The answer counts with *usual* tokens, and with no more than *longest_answer*, the client's limit. A client may set
    a limit that its answers never reach. *largest* is the most that the bucket holds, or None where tokens are not
    limited. A request claims no more than this, so that a small bucket serves it after a wait (litellm#29193). *holder*
    is the owner of that bucket.

    Raises :class:`RequestNeverFits` where the prompt and the first token of an answer exceed *largest*.
    """
    answer = usual if longest_answer is None else min(longest_answer, usual)
    if largest is None:
        return prompt + answer
    least = prompt if longest_answer == 0 else prompt + 1
    if least > largest:
        raise RequestNeverFits(least, largest, holder=holder)
    return min(prompt + answer, largest)


def most_cost(
    prices: Prices | None, size: PlanSize, prompt: int, usual: int, largest: int | None = None
) -> int:
    """Return the most that a call of *size* may cost, in 10⁻⁹ dollars. A model without prices costs nothing.

    A client that sets a limit of its answer can never spend more than this, if the prompt is estimated well. Without a
    limit, an answer may be longer than *usual*. Such a call reserves no more than *largest*, the whole spend limit, if
    the prompt and the first token of an answer fit. Otherwise a small spend limit would refuse every such call.
    """
    if prices is None:
        return 0
    longest, tier = size.longest_answer, size.service_tier
    cost = min(bound_of(prices, prompt, usual if longest is None else longest, tier), _MOST_NANO)
    if longest is None and largest is not None and bound_of(prices, prompt, 1, tier) <= largest < cost:
        return largest
    return cost
