"""Compares ``turnright serve`` with other proxies: CPU for each request and chunk, idle and under load.

Everything runs on this machine: a provider that answers at once, a load generator, and the proxies. A proxy has one
core, and the provider and the load share another. Times are measured here, and never in a test.
"""
