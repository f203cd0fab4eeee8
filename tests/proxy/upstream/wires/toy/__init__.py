"""A wire that no provider has, for tests: it shows that a new wire needs its folder and a row of the table."""
