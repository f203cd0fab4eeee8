"""A wire for tests that no provider has. It shows that a new wire needs only a folder and a row of the table."""
