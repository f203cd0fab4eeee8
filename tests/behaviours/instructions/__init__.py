"""Tests of the operator's instructions through the real application on a real socket."""
