"""Prices of models, and the cost of requests in integers of 10⁻⁹ dollars.

    rates              the prices of one token of each kind, and the fields of litellm's table that hold them
    read_prices        the prices of a model, from the fields of the operator and of a row of litellm's table
    deployment_prices  the prices of a deployment
    cost               what a request cost, and the most that it may cost

All sums are sums of integers. A price is an integer of 10⁻²⁴ dollars for one token, so that no price is rounded. The
cost of a request is rounded up to 10⁻⁹ dollars once.
"""

from proxy.planning.prices.cost import bound_of, cost_of
from proxy.planning.prices.deployment_prices import find_prices
from proxy.planning.prices.rates import Prices

__all__ = ["Prices", "bound_of", "cost_of", "find_prices"]
