"""Replaces credentials in a text by a mask, before the text goes to another model.

Credentials are found by their known prefixes and forms. A credential without a known form stays in the text, such as a
password in a sentence. The caller masks the keys of the configuration with :mod:`proxy.upstream.known_secrets`.

Every pattern takes time in proportion to the text. Most patterns begin only at the edge of a run of their characters,
and take the run without backtracking.
"""

from __future__ import annotations

import re

from proxy.upstream.masking import MASK

_WORD = "A-Za-z0-9_-"

_PREFIXED = (
    # A run of 16 letters and digits tells a key from a name with hyphens, such as `sk-learn-model-selection`.
    (
        "sk-",
        r"(?=[\w-]*?[A-Za-z0-9]{16})[\w-]{20,}+",
    ),  # OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek
    *((prefix, "[A-Za-z0-9]{16,}+") for prefix in ("sk_live_", "sk_test_", "rk_live_", "rk_test_")),  # Stripe
    ("whsec_", "[A-Za-z0-9+/=]{24,}+"),
    ("AIza", r"[\w-]{30,}+"),  # Google
    ("ya29.", r"[\w-]{20,}+"),  # Google's OAuth
    ("GOCSPX-", r"[\w-]{20,}+"),
    *((prefix, r"[A-Z0-9]{16}(?![\w-])") for prefix in ("AKIA", "ASIA")),  # AWS
    *((prefix, "[A-Za-z0-9]{30,}+") for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),  # GitHub
    ("github_pat_", r"\w{22,}+"),
    ("glpat-", r"[\w-]{20,}+"),  # GitLab
    *(
        (prefix, "[A-Za-z0-9-]{10,}+") for prefix in ("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-")
    ),  # Slack
    ("xapp-", r"(?=[\w-]*?[A-Za-z0-9]{16})[\w-]{20,}+"),
    ("hf_", "[A-Za-z0-9]{30,}+"),  # Hugging Face
    ("npm_", "[A-Za-z0-9]{30,}+"),
    ("pypi-", r"(?=[\w-]*?[A-Za-z0-9]{16})[\w-]{50,}+"),
    ("gsk_", "[A-Za-z0-9]{30,}+"),  # Groq
    ("xai-", "[A-Za-z0-9]{40,}+"),
    ("r8_", "[A-Za-z0-9]{30,}+"),  # Replicate
    ("nvapi-", r"(?=[\w-]*?[A-Za-z0-9]{16})[\w-]{40,}+"),
    ("dop_v1_", "[a-f0-9]{40,}+"),  # DigitalOcean
    ("SG.", r"[\w-]{16,}+\.[\w-]{16,}+"),  # SendGrid
    ("eyJ", r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]++){0,2}"),  # JSON Web Tokens
)
"""The prefixes of credentials, with the pattern of what follows."""


def _pattern(prefix: str, body: str) -> re.Pattern[str]:
    """Return the pattern of a credential at the start of a word, or after an escaped line break or tab of JSON.

    The prefix comes first, since the search for fixed text is fast.
    """
    known = re.escape(prefix)
    return re.compile(rf"{known}(?:(?<![{_WORD}]{known})|(?<=\\[nrt]{known})){body}", re.ASCII)


_PATTERNS = tuple(_pattern(prefix, body) for prefix, body in _PREFIXED)

_SCHEME = re.compile(
    r"(\bauthorization[\\\"']{0,4}[ \t]{0,4}[:=][ \t]{0,4}[\\\"']{0,4}"
    r"(?:bearer|basic|token|apikey|digest)[ \t]{1,4})[^\s\"'\\,;<>]{8,}+",
    re.IGNORECASE,
)
_BEARER = re.compile(
    r"(\bbearer[ \t]{1,4})(?=[\w.~+/-]*?\d)[\w.~+/-]{16,}+=*+",
    re.IGNORECASE | re.ASCII,
)
_IN_URL = re.compile(r"(://[^\s/?#@:\"'<>\\]{0,256}+:)(?!\$[A-Z_{(]|\{)[^\s/?#@\"'<>\\]{1,256}+(?=@)")

_OF_CURL = re.compile(r"([ \t](?:-u|--user)[ =]{0,2}[\\\"']{0,2}[^\s:\"'\\]{1,100}+:)[^\s\"'\\]{1,200}+")
"""A user's name and password, as in a call of curl.

Other commands have such an option too, so :func:`_blank_of_curl` checks the command.
"""

_CURL = re.compile(r"\bcurl\b")
_END_OF_COMMAND = "\n|;&"
_LONGEST_COMMAND = 300
_OPTION = re.compile(
    r"((?<!-)--[\w-]{0,40}(?:api-key|password|secret|token)[ \t]{1,4})(?=[^\s\"'\\]*?\d)[^\s\"'\\]{8,}+",
    re.ASCII,
)

_ASSIGNED = re.compile(
    r"(?P<name>pass(?:word|wd|phrase)|pwd|secret|token"
    r"|(?:api|access|account|auth|private|signing|encryption|secret)[_-]?key|auth)"
    r"(?P<between>[\\\"']{0,4}[ \t]{0,8}(?:=>|:=|={1,3}|:(?!:))[ \t]{0,8})"
    r"(?:(?P<quote>\\{0,3}[\"'])(?P<quoted>[^\s\"'\\]{8,}+)|(?P<bare>[^\s\"'`\\,;&<>(){}\[\]]{8,}+))",
    re.IGNORECASE,
)
_NAME = re.compile("p(?=ass|wd|riv)|s(?=ecret|ign)|t(?=oken)|a(?=pi|cc|uth)|e(?=ncr)")
"""The beginnings of the names in :data:`_ASSIGNED`. Each match takes only one letter, since names may overlap."""

_PASSWORDS = ("pass", "pwd")
_REFERENCE = re.compile(r"\$?[$%][A-Za-z_{(]|[{<]|os\.environ|process\.env|env[.:]")
"""The start of a value that refers to another place, such as ``${PASSWORD}`` or ``<your-key>``."""

_SHORTEST = 12
"""The length of the shortest value of a token or key. Shorter values are rather names and numbers."""

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(
    r"(?:[A-Za-z0-9+/=\r\n\\\t]++|(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n\\]{0,200}|,| (?=[A-Za-z0-9+/=]{40}))*+"
)
_BODY_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\\"


def blank_secrets(text: str) -> str:
    """Return *text* with a mask in place of each credential of a known form. The rest stays as it is."""
    text = _without_private_keys(text)
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    small = text.lower()
    for need, pattern in _NEEDED:
        if need in small:
            text = pattern.sub(rf"\1{MASK}", text)
    if "curl" in small:
        text = _OF_CURL.sub(_blank_of_curl, text)
    if not text.isascii():
        return _ASSIGNED.sub(_blank_value, text)
    return _blank_assigned(text)


_NEEDED = (
    ("authorization", _SCHEME),
    ("bearer", _BEARER),
    ("://", _IN_URL),
    ("--", _OPTION),
)
"""Each pattern, after a text in small letters that all of its matches hold.

A text is searched for that first, since such a search is fast.
"""


def _blank_of_curl(match: re.Match[str]) -> str:
    """Return the option with a mask in place of the password, or unchanged where the command before it is not curl.

    The search goes back from the option. A pattern that began at each ``curl`` would read the same text many times.
    """
    text, end = match.string, match.start() + 1
    least = max(0, end - _LONGEST_COMMAND)
    start = max(text.rfind(letter, least, end) for letter in _END_OF_COMMAND) + 1
    return match[0] if _CURL.search(text, max(start, least), end) is None else f"{match[1]}{MASK}"


def _blank_assigned(text: str) -> str:
    """Return *text*, which is ASCII, with a mask in place of the values that are assigned to names of secrets.

    A search that ignores case tries each position of a text. The search in a copy in small letters takes a fifth of
    that time. Positions in the copy are the same, since the text is ASCII.
    """
    written: list[str] = []
    done = 0
    for place in _NAME.finditer(text.lower()):
        match = _ASSIGNED.match(text, place.start()) if place.start() >= done else None
        if match is not None:
            written += (text[done : match.start()], _blank_value(match))
            done = match.end()
    return "".join((*written, text[done:]))


def _blank_value(match: re.Match[str]) -> str:
    """Return the assignment with a mask in place of its value, or unchanged where the value is no credential."""
    quoted = match["quoted"]
    value = match["bare"] if quoted is None else quoted
    is_called = quoted is None and match.string[match.end() : match.end() + 1] in tuple("([{")
    if is_called or "::" in value or _REFERENCE.match(value):
        return match[0]
    is_password = match["name"].lower().startswith(_PASSWORDS)
    has_digit = any(letter.isdigit() for letter in value)
    in_environment = match["name"].isupper() and match["between"] == "="
    if not (has_digit or in_environment or (is_password and quoted)):
        return match[0]
    if not is_password and len(value) < _SHORTEST:
        return match[0]
    return f"{match['name']}{match['between']}{match['quote'] or ''}{MASK}"


def _without_private_keys(text: str) -> str:
    """Return *text* with a mask in place of private keys in PEM format.

    A key whose beginning or end was cut off is found too.
    """
    if "PRIVATE KEY" not in text:
        return text
    written: list[str] = []
    at = 0
    for end in _PEM_END.finditer(text):
        written.append(_without_begun(text[at : end.start()], ended=True))
        at = end.end()
    written.append(_without_begun(text[at:], ended=False))
    return "".join(written)


def _without_begun(text: str, *, ended: bool) -> str:
    """Return *text* with a mask for each key that begins in it.

    With *ended*, the end line of a key follows *text*, so base64 letters at the end of *text* are masked too.
    """
    written: list[str] = []
    at = 0
    for begin in _PEM_BEGIN.finditer(text):
        if begin.start() < at:
            continue
        body = _PEM_BODY.match(text, begin.end())
        written += [text[at : begin.start()], MASK]
        at = begin.end() if body is None else body.end()
    rest = text[at:]
    if not ended:
        return "".join((*written, rest))
    kept = rest.rstrip(_BODY_LETTERS)
    if kept or not written:
        written += [kept, MASK]
    return "".join(written)
