"""Media parts, read: what a part carries, whether its bytes can be read, and what they are.

Accessors for the checker and for the steps, like :mod:`sanitizers.messages`; what follows from them is decided apart,
in :mod:`sanitizers.media.violations` and in :mod:`sanitizers.steps.media`.
"""
