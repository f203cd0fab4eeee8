"""What ``turnright check`` prints: the table of models, and warnings."""
