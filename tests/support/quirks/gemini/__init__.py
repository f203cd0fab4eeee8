"""Answers on Gemini's own wire, as its models, and the servers that copy it, send them."""
