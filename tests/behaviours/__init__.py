"""Behaviour of the whole proxy, across its modules: deadlines, isolation, linear work, streams of all shapes."""
