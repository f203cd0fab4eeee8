"""Holds a request to the limits of its client's key, and to those of the deployments that it is sent to.

The files, in the order of the data:

- plan_size: the tokens of a planned request's prompt, and the longest answer that it allows
- request_need: the tokens and the money that a request may use
- request_limits: the admission of a request, once for all its attempts
- deployment_limits: the requests and tokens a minute that the operator allows for one deployment
- settle_request: the end of an admitted request, with the tokens and the money that it has used
"""
