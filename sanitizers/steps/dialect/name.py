"""What the step is called in the changes that its parts make."""

NAME = "dialect"
