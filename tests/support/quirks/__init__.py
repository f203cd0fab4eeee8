"""The unusual ways in which providers are known to answer, each with the meaning of the answer.

A row is one fixed example. The strategies combine the quirks at random. A row and a drawn example both hold the bytes
of a provider's answer and its meaning. Rows and strategies are written from public reports, without the proxy's code.
"""
