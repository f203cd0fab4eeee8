"""Tests of Anthropic's messages."""
