"""Tests that each encoding of a secret is found in any text that holds the secret in this encoding."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, unquote

from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.secret_forms import base64_forms, plain_forms

TO_STANDARD = str.maketrans("-_", "+/")
secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=9, max_size=40)


@given(before=st.binary(max_size=6), secret=secrets, after=st.binary(max_size=6))
def test_base64_of_any_text_with_the_secret_holds_a_form(before: bytes, secret: str, after: bytes) -> None:
    """The secret may begin at any of the three bytes that base64 encodes together.

    Both alphabets of base64 are tried.
    """
    whole = before + secret.encode() + after
    forms = base64_forms(secret)

    for encoded in (b64encode(whole).decode(), urlsafe_b64encode(whole).decode()):
        assert any(form in encoded for form in forms)


@given(secret=secrets)
def test_a_base64_form_holds_all_letters_but_those_of_a_neighbour(secret: str) -> None:
    """At most one base64 letter at each end is left out, so little of the secret stays unmasked."""
    bits = len(secret.encode()) * 8

    assert len({unquote(form).translate(TO_STANDARD) for form in base64_forms(secret)}) == 3
    for form in base64_forms(secret):
        assert bits - 12 < len(unquote(form)) * 6 <= bits


def test_a_short_secret_has_no_base64_form() -> None:
    """The letters of a short secret would be masked in ordinary words."""
    assert base64_forms("abcd") == set()


@given(secret=secrets)
def test_plain_forms_are_those_of_urls_json_and_html(secret: str) -> None:
    """An error's text may hold a secret in the encoding of URLs, JSON or HTML."""
    in_json = json.dumps(secret)[1:-1]

    assert {secret, quote(secret, safe=""), escape(secret), in_json} <= plain_forms(secret)
    assert in_json.replace("/", "\\/") in plain_forms(secret)
