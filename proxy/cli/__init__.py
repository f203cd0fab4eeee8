"""Turns a command line into one call, and prints the result.

main              the ``turnright`` command and its options
closed_outputs    outputs that were closed before the start
configuration     the configuration that a command is given
serve             ``turnright serve``
check             ``turnright check``: check_table and check_warnings are what it prints
explain           ``turnright explain``: show_explanation and show_messages are what it prints
demo              ``turnright demo``: comparison is what it runs
emulate           ``turnright emulate``
print_result      results as JSON or for a reader
"""

from proxy.cli.main import main

__all__ = ["main"]
