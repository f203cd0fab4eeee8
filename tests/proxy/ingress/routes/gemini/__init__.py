"""Tests of the paths of Gemini's own API."""
