"""Sample data of each wire, for the conformance test: ``sample`` is its form, ``table`` the list."""
