"""Many requests through the running process while its providers fail at random: see :mod:`benchmarks.chaos.run`."""
