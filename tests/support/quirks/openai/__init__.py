"""Answers on OpenAI's wire, as Google's compatible endpoint and other servers send them."""
