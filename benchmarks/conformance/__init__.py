"""Measures gateways with the public corpus: turnright, a bare pass-through, and LiteLLM's proxy if installed."""
