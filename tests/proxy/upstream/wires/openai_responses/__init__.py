"""Tests of the wire of the Responses API."""
