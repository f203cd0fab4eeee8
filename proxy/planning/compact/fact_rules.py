"""Rules that find facts in a text: in single words, and in lines.

A rule for words must match a whole word. A rule for lines finds an error code or an exception. The fact is the line
around the match. All patterns are bounded, so that a text of any content takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["command", "error", "path", "id", "address"]
"""The kinds of facts."""

LONGEST = 300
"""The most characters of a word that is a fact. A longer word is data, and is left out rather than cut."""

_CONTEXT = 160
_MOST_LINES = 200
"""The most lines that one rule finds in one text."""

_PIECE = 100_000
"""The characters of a text that are searched at once. A search holds the interpreter's lock, here for some 10 ms."""

_DATA_NAMES = (
    "ansi|base|bytes|complex|cp|euc|float|gmt|gpt|http|ieee|int|ipv|iso|koi|md|mod|over|pre|python|rfc|rsa|sha|sub"
    "|tls|top|uint|under|utc|utf|x86"
)
"""Words before a number in names that are no ids, such as ``utf-8``, ``to_base64`` and ``ISO-8859``."""

_KNOWN_FILES = (
    "bash|bat|bz2|c|cc|cfg|conf|cpp|cs|css|csv|dockerfile|env|ex|exs|gif|go|gradle|gz|h|hpp|htm|html|ini|ipynb|java"
    "|jpeg|jpg|js|json|jsonl|jsx|kt|less|lock|log|lua|md|mjs|patch|pdf|php|png|proto|ps1|py|pyi|rb|rs|rst|scala|scss"
    "|sh|sql|sqlite|svelte|svg|swift|tar|tex|tf|toml|ts|tsv|tsx|txt|vue|xml|yaml|yml|zip|zsh"
)
"""Endings of files that are recognized without a folder before the name."""

_NO_FILES = frozenset(
    {"asp.net", "d3.js", "express.js", "next.js", "node.js", "nuxt.js", "three.js", "vue.js"}
)

_ERRNO = (
    "2BIG|ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|ALREADY|BADENGINE|BADF|BUSY|CANCELED|CONNABORTED|CONNREFUSED"
    "|CONNRESET|DEADLK|DQUOT|EXIST|FAULT|FBIG|HOSTDOWN|HOSTUNREACH|INPROGRESS|INTEGRITY|INTR|INVAL|IO"
    "|ISCONN|ISDIR|LIFECYCLE|LOOP|MFILE|MLINK|MSGSIZE|NAMETOOLONG|NETDOWN|NETUNREACH|NFILE|NOBUFS|NODEV"
    "|NOENT|NOEXEC|NOLCK|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTFOUND|NOTSOCK|NOTSUP|NXIO|OVERFLOW"
    "|PERM|PIPE|PROTO|RANGE|RESOLVE|ROFS|SOCKETTIMEDOUT|SRCH|STALE|TARGET|TIMEDOUT|XDEV"
)
"""Names of errors of the operating system, Node and npm, without the E at their start.

A pattern for any word in capitals would find ERROR and EXPECTED too.
"""


class WordRule(NamedTuple):
    """A rule for words: its name, the kind of the facts, and the pattern of a whole word."""

    name: str
    kind: Kind
    pattern: re.Pattern[str]


class LineRule(NamedTuple):
    """A rule for lines. *needs* are texts in small letters. A text that holds none of *needs* is not searched."""

    name: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]


def _word(name: str, kind: Kind, pattern: str) -> WordRule:
    return WordRule(name, kind, re.compile(pattern))


_SEGMENT = r"[\w.@+~%-]"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"

WORD_RULES = (
    _word("uuid", "id", r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"),
    _word("e-mail", "address", r"[\w.+-]{1,64}+@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}"),
    _word("IPv4", "address", rf"(?:{_OCTET}\.){{3}}{_OCTET}(?::\d{{1,5}}|/\d{{1,2}})?"),
    _word("IPv6", "address", r"(?=.{0,40}\d)(?=.{0,40}::|(?:[^:]{1,4}:){7})[0-9a-fA-F:]{3,39}(?:/\d{1,3})?"),
    _word(
        "host and port",
        "address",
        r"(?:localhost|[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){1,6}):\d{2,5}"
        r"|(?!(?:code|col|column|error|id|line|pid|port|row|size|status|time|year):)[a-z][a-z0-9-]{1,30}:[1-9]\d{3,4}",
    ),
    _word("Windows path", "path", r"[A-Za-z]:\\(?:[^\s\\/:*?]{1,100}\\){0,30}[^\s\\/:*?]{1,100}"),
    _word("path", "path", rf"(?:~|\.{{1,2}}|@)?/(?:{_SEGMENT}{{1,100}}/){{1,30}}(?:{_SEGMENT}{{1,100}})?"),
    _word("path of a file", "path", rf"(?:{_SEGMENT}{{0,100}}/){{1,30}}{_SEGMENT}{{0,100}}\.[A-Za-z][a-zA-Z\d]{{0,9}}"),
    _word("path with dots", "path", rf"(?:~|\.{{1,2}})/{_SEGMENT}{{2,100}}"),
    _word("name of a file", "path", rf"[\w@+-][\w.@+-]{{0,100}}\.(?:{_KNOWN_FILES})|Dockerfile|Makefile|\.env[\w.]*"),
    _word("commit", "id", r"(?=.{0,63}[a-f])(?=.{0,63}\d)(?:[0-9a-f]{7,12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})"),
    _word("hexadecimal number", "id", r"0x[0-9a-fA-F]{32,64}|(?=.{0,63}[a-f])(?=.{0,63}\d)[0-9a-f]{16,64}"),
    _word("ticket", "id", rf"(?!(?i:{_DATA_NAMES})-)[A-Z][A-Z0-9]{{1,9}}(?:-\d{{1,10}}){{1,3}}"),
    _word(
        "id with a prefix",
        "id",
        rf"(?=\S*\d)[a-z]{{2,16}}(?:_[a-z]{{2,8}})?_(?!(?:{_DATA_NAMES})\d)"
        r"(?![A-Za-z]{2,30}\d{0,2}\Z)(?:[A-Za-z0-9]{6,64}|\d{3,64})",
    ),
    _word("number with a prefix", "id", rf"(?!(?:{_DATA_NAMES})-)[a-z]{{2,16}}-(?:[a-z]{{2,16}}-)?\d{{3,18}}"),
    _word("name with a hash", "id", r"(?:[a-z][a-z0-9]{0,30}-){1,6}(?=[a-f]{0,16}\d)[0-9a-f]{8,17}(?:-[a-z0-9]{5})?"),
)  # fmt: skip
"""The rules for words. The first rule that matches decides the kind of a word."""


def _line(name: str, needs: str, pattern: str) -> LineRule:
    return LineRule(name, tuple(needs.split("|")), re.compile(pattern))


LINE_RULES = (
    _line(
        "exception",
        "error|exception|panic",
        r"(?m)^[ \t]{0,20}(?:E  ? ? ?|(?:Caused by|Uncaught|\[?ERROR\]?|fatal|raise)[: ]{1,2}){0,2}"
        r"(?:(?:[A-Za-z_]\w{0,60}[.:]{1,2}){0,8}(?:[A-Z]\w{0,60})?(?:Error|Exception)(?=:[ \n]|[ \t]*$)"
        r"|(?:thread '[^'\n]{1,60}' panicked|panic: |(?:fatal )?error: (?=\S)))",
    ),
    _line(
        "HTTP status",
        "http|status|error|return|code|bad |unauth|forbid|not found|conflict|unproc|too many|internal|gateway|unavail",
        r"(?i)\b(?:HTTP(?:/\d(?:\.\d)?)?[\"':= ]{1,3}(?:status |error |code ){0,2}|status[_ ]?(?:code)?[\"':= ]{1,4}"
        r"|(?:error|returned|response)(?: code)?[:= ]{1,2})[45]\d\d\b(?![.,]\d)"
        r"|\b[45]\d\d (?:Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not|Conflict|Gone"
        r"|Unprocessable|Too Many|Internal Server|Bad Gateway|Service Unavailable|Gateway Time)",
    ),
    _line(
        "exit code",
        "exit|return",
        r"(?i)\b(?:exit(?:ed)?[ _]?(?:with )?(?:code|status|with)|return[ _]?code)"
        r"[\"':= ]{1,4}(?!0\b)-?\d{1,3}\b(?![.,]\d)",
    ),
    _line("system error", "e", rf"E(?<!\wE)(?:{_ERRNO}|AI_[A-Z]{{3,12}}|RR_[A-Z_]{{3,40}})\b"),
    _line("SQLSTATE", "sqlstate", r"\bSQLSTATE[\[(:= ]{1,3}[0-9A-Z]{5}\b"),
    _line(
        "compiler code",
        "ts|e0|cs|lnk|msb|netsdk|pgrst|p1|p2",
        r"\b(?:TS\d{4,5}|E0\d{3}|CS\d{4}|LNK\d{4}|MSB\d{4}|NETSDK\d{4}|PGRST\d{3}|P[12]\d{3})\b(?![.-])",
    ),
)
"""The rules for lines. All of their facts are errors."""

_WORD = re.compile(r"[^\s\"'`<>()\[\]{},;|=*…。，、；：“”‘’（）《》「」]+")  # noqa: RUF001 the punctuation of Chinese texts
_FOREIGN = re.compile(r"[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+")
"""Letters of scripts that put no spaces between words."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,19}\Z")
_URL = re.compile(r"://[^\s\"'<>`\\^{}|。，、；（）「」]{1,2000}+")  # noqa: RUF001 the punctuation of Chinese texts
_LINE_NUMBER = re.compile(r"(?::\d{1,7}){1,2}:?\Z")
_HAS_MARK = re.compile(r"[0-9/\\@.:]|(?:Make|Docker)file").search
_LONGEST_URL = 500


def find_urls(text: str) -> tuple[list[str], str]:
    """Return the URLs in *text*, and the text without them."""
    if "://" not in text:
        return [], text
    urls, rest, done = [], [], 0
    for match in _URL.finditer(text):
        scheme = _SCHEME.search(text[max(done, match.start() - 20) : match.start()])
        if scheme is None:
            continue
        start = match.start() - len(scheme[0])
        rest.append(text[done:start])
        done = match.end()
        url = text[start:done].rstrip(".,;:!?)]*_")
        if len(url) <= _LONGEST_URL and len(url) > len(scheme[0]) + 3:
            urls.append(url)
    return urls, " ".join([*rest, text[done:]])


def find_words(text: str) -> list[str]:
    """Return the different words of *text* that may be facts, in their order in the text."""
    words: dict[str, None] = {}
    for piece in _pieces_of(text):
        words |= dict.fromkeys(_WORD.findall(text, *piece))
    return [word for word in words if 3 < len(word) <= LONGEST and _HAS_MARK(word)]


def read_word(word: str) -> list[tuple[Kind, str]]:
    """Return the facts in one word: the word itself, or its parts between letters of scripts without spaces."""
    fact = _read_whole(word)
    if fact is not None or word.isascii():
        return [] if fact is None else [fact]
    return [fact for piece in _FOREIGN.split(word) if (fact := _read_whole(piece)) is not None]


def _read_whole(word: str) -> tuple[Kind, str] | None:
    word = _without_line_number(word.rstrip(".:!?&^$\\").lstrip("!?&^$"))
    if len(word) < 4 or word.startswith("...") or word.lower() in _NO_FILES:
        return None
    for rule in WORD_RULES:
        if rule.pattern.fullmatch(word):
            return rule.kind, word
    return None


def _without_line_number(word: str) -> str:
    """Return the path before ``:12`` or ``:12:5``, or the word itself where no path stands before the numbers."""
    match = _LINE_NUMBER.search(word) if ":" in word else None
    if match is None:
        return word
    before = word[: match.start()]
    is_path = "/" in before or "\\" in before or re.search(rf"\.(?:{_KNOWN_FILES})\Z", before) is not None
    return before if is_path and ":" not in before[2:] and not before.replace(".", "").isdigit() else word


def find_lines(text: str) -> Iterator[str]:
    """Yield the line around each error that a rule finds. A line with several errors comes several times."""
    small = text.lower()
    pieces = _pieces_of(text)
    for rule in LINE_RULES:
        if any(need in small for need in rule.needs):
            matches = (match for piece in pieces for match in rule.pattern.finditer(text, *piece))
            for match in islice(matches, _MOST_LINES):
                yield line_around(text, match.start(), match.end())


def _pieces_of(text: str) -> list[tuple[int, int]]:
    """Return the starts and ends of the pieces of *text*, cut at line breaks, else between words, else anywhere."""
    pieces, start = [], 0
    while len(text) - start > _PIECE:
        ends = (text.rfind(mark, start, start + _PIECE) + 1 for mark in '\n ",')
        end = next(filter(None, ends), start + _PIECE)
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(text))]


def line_around(text: str, start: int, end: int) -> str:
    """Return the line of *text* around the match from *start* to *end*.

    Runs of whitespace become one space. Of a long line, only the whole words near the match are returned.
    """
    line_start = text.rfind("\n", max(0, start - _CONTEXT), start) + 1
    first = line_start or max(0, start - _CONTEXT)
    line_end = text.find("\n", end, end + _CONTEXT)
    last = line_end if line_end >= 0 else min(len(text), end + _CONTEXT)
    words_before, words_after = text[first:start], text[end:last]
    cut_before = first > 0 and text[first - 1] != "\n"
    cut_after = last < len(text) and text[last] != "\n"
    if cut_before or len(words_before) > _CONTEXT // 2:
        words_before = words_before[-_CONTEXT // 2 :].partition(" ")[2]
    if cut_after:
        words_after = words_after.rpartition(" ")[0]
    return " ".join((words_before + text[start:end] + words_after).split())
