"""Recognises texts that look like references to variables, in forms that turnright does not resolve.

A text such as ``$NAME``, ``sk-${NAME}`` or ``vault:secret/x`` was probably meant to be replaced by a secret. If such a
text is taken literally as a client's key, anyone can guess the key. A random key may hold ``$``, ``%`` or a brace
anywhere. So such a character counts only together with a variable's name or another form below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_UPPER = r"[A-Z_][A-Z0-9_]+"

_ANYWHERE = re.compile(
    rf"""
    \$\{{\s*{_NAME}\s*(?:\}}|[:?+=-])           # ${{NAME}}, ${{NAME:-value}}
    | \$\({_NAME}\)                             # $(NAME), of Kubernetes
    | \{{\{{.*\}}\}}                            # {{{{ name }}}}
    | \{{\$?(?i:env|vars?|secrets?)[.:/].*\}}   # {{env:NAME}}
    | \{{\$\.?{_NAME}\}}                        # {{$NAME}}, of Caddy
    | %{_UPPER}%                                # %NAME%, of Windows
    | \$(?:[A-Z]+_[A-Z0-9_]+|[A-Z]{{4,}})(?![A-Za-z0-9_])  # prefix$NAME
    | (?i:os\.environ|os\.getenv|process\.env)  # os.environ[...], OS.ENVIRON/NAME
    """,
    re.VERBOSE,
)
"""Forms of references that make a text look like a reference wherever they occur in it."""

_WHOLE = re.compile(
    rf"""
    \$\{{.* | \$\(.* | \{{\{{.*                 # the beginning of a longer expression
    | \${{1,2}}{_NAME} | \${{1,2}}{_UPPER}(?![A-Za-z0-9_]).*    # $NAME, $$NAME
    | %{_NAME}%
    | [a-z][a-z_.-]*\${_UPPER}                  # sk-$NAME
    | (?i:environ|environment|env|getenv)[/.:(\[].*   # env/NAME, ENV[NAME]
    | (?i:vault|secret|secrets|ssm|keyring|doppler)[:/].*
    | <[^<>]+>                                  # <your key>
    """,
    re.VERBOSE,
)
"""Forms of references that must be the whole text. Some forms allow any text to follow."""

_SHELL_NAME = re.compile(rf"\$({_NAME})")

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""The beginning of a URL at which a secret is stored: ``op://vault/item``, ``file:///run/secrets/key``."""


def looks_like_reference(text: str, environ: Mapping[str, str]) -> bool:
    """Return True where *text* looks like a reference to a variable, or holds one.

    ``$NAME`` anywhere is a reference where *environ* has a variable of that name.
    """
    if _ANYWHERE.search(text) or _WHOLE.fullmatch(text):
        return True
    return any(name in environ for name in _SHELL_NAME.findall(text))


def looks_like_place(text: str) -> bool:
    """Return True where *text* begins like a URL, which then names where a secret is stored.

    No key begins like a URL.
    """
    return _ADDRESS.match(text) is not None
