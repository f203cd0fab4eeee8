"""Scripts that ask with keys of several limits, and tell what their SDK makes of each refusal."""
