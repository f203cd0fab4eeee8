"""Benchmarks: commands that print tables. None of them is a test. The figures in the documentation come from here."""
