"""Tests of the operator's instructions in the running process."""
