"""Reads a command line, runs its command, and prints the result.

main              the ``turnright`` command and its options
option_types      ports and seconds of the command line
configuration     the configuration of a command
serve             ``turnright serve``, which prints the banner at a terminal
banner            addresses, models and keys, once the process is ready
init              ``turnright init``
check             ``turnright check``: prints tables and check_warnings
check_table       the effect of a configuration on requests
limit_table       the models and limits of keys and teams
limit_warnings    warnings about keys, teams and their limits
instruction_texts the operator's instructions, by length and digest
instruction_warnings  warnings about the operator's instructions
named_files       the files that a configuration names
store_table       the store and the facts that are kept in it
store_warnings    warnings about the store
provider_object_warnings  warnings about objects and conversations at the providers
responses_warnings  warnings about models that are asked through the Responses API
session_warnings  warnings about stored responses
compaction_warnings  warnings about compaction: providers, windows and models of summaries
explain           ``turnright explain``: prints show_explanation and show_messages
demo              ``turnright demo``: runs comparison, prints show_comparison and change_sentences
emulate           ``turnright emulate``
models            ``turnright models``
conform_options   the options of ``turnright conform``
conform           ``turnright conform``: runs measure_gateway, prints gateway_snippets and show_conformance
probe_options     the options of ``turnright probe``
probe             ``turnright probe``: runs ask_provider, prints show_probe
learned_options   the options of ``turnright learned``
learned           ``turnright learned``: asks a running process
sessions_options  the options of ``turnright sessions``
sessions          ``turnright sessions``: has a running process delete stored responses
key_options       the options of ``turnright key``
key               ``turnright key new``: makes a client key
ask_process       asks a running process with the master key
completion        ``turnright completion``
key_sources       the variables that keys come from
command_name      the command as the reader has started it
render_lines      texts and tables of rich as lines
print_result      writes a result to standard output
"""

from proxy.cli.main import main

__all__ = ["main"]
