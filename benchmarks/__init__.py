"""Benchmarks: commands that print tables. No benchmark is a test. The figures in the documentation come from here."""
