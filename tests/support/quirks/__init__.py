"""Every odd way in which providers are known to answer, each with what it means.

A row is one fixed example; the strategies combine the quirks at random. Either is the bytes of a provider's answer and
its meaning, written here from public reports, and knows nothing of how the proxy reads it.
"""
