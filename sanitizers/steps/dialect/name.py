"""The step's name in the changes that its parts make."""

NAME = "dialect"
