"""Benchmarks: commands that print tables. None of them is a test; figures quoted anywhere come from here."""
