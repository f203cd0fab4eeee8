"""Emulates the providers that copy OpenAI's wire, each with the refusals and the odd answers that it is known for.

    faults       the faults that a judge may find, without words
    words        the errors of each provider: words, status and envelope
    rules        the rules for a request, as values
    judging      finds the faults of a request
    histories    rules for whole histories that single providers have
    known_rules  the rules of the providers of which more is known than a name
    gateways     the providers of which no more is known
    styles       whole answers and streams, in each provider's shape
    wire         all of them as a wire of the emulators
    providers    the table: one entry for each provider, and more for a provider with several forms

Everything here comes from the pages and the recorded errors of the providers, and for gateways from runs of litellm. It
shares nothing with the proxy's own tables, so an error in either of them shows up as a refusal.
"""

from tests.support.compatible_emulator.providers import PROVIDERS
from tests.support.compatible_emulator.wire import Provider

__all__ = ["PROVIDERS", "Provider"]
