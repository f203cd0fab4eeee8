"""Tests of Anthropic's Messages format."""
