"""The middlewares of every request, outermost first: observation, errors, web pages and keys, and the API's limits."""

from proxy.ingress.middlewares.auth import check_key
from proxy.ingress.middlewares.errors import answer_errors
from proxy.ingress.middlewares.limits import limit_requests
from proxy.ingress.middlewares.observe import observe_requests

MIDDLEWARES = (observe_requests, answer_errors, check_key, limit_requests)
"""All middlewares, in the order in which a request meets them."""

__all__ = ["MIDDLEWARES"]
