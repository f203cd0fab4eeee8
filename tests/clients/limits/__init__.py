"""Tests of clients whose keys have limits: each waits, gives up, or raises an exception of its own."""
