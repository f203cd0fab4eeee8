"""Tests of the paths of Anthropic's Messages API."""
