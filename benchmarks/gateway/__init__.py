"""What ``turnright serve`` costs beside other proxies: CPU per request, chunk by chunk, at rest and under load.

Everything runs on this machine: a provider that answers at once, a load generator, and the proxies. A proxy has one
core, the provider and the load the other. Times are taken here and never in a test.
"""
