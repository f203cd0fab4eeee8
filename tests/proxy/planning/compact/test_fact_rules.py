"""Tests of the rules for facts: a table for each rule of what it finds and what it must not find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from proxy.planning.compact import fact_rules
from proxy.planning.compact.fact_rules import (
    LINE_RULES,
    WORD_RULES,
    find_lines,
    find_urls,
    find_words,
    read_word,
)

UUID = "550e8400-e29b-41d4-a716-446655440000"
SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"

WORDS: dict[str, tuple[list[str], list[str]]] = {
    "uuid": ([UUID, UUID.upper()], [UUID[:-1], "550e8400-e29b"]),
    "e-mail": (["ann@example.com", "a.b+c@mail.example.org"], ["@decorator.name", "user@host", "a@b@c.de"]),
    "IPv4": (["10.0.0.1", "192.168.1.20:8080", "10.1.0.0/16"], ["1.2.3", "300.1.1.1", "1.2.3.4.5"]),
    "IPv6": (["fe80::1", "2001:db8::8a2e:370:7334", "::ffff:c000:280"], ["std::string", "12:30:45", "dead::beef"]),
    "host and port": (
        ["localhost:3000", "db.internal:5432", "redis:6379"],
        ["line:1234", "12:30", "a:b", "note:this", "self.value:x"],
    ),
    "Windows path": ([r"C:\Users\ann\notes.txt", r"D:\data"], ["C:", "c:x", r"\d+\w"]),
    "path": (["/etc/nginx/nginx.conf", "/var/log/", "~/code/app/main", "@/lib/db"], ["/", "//", "and/or", "w/o"]),
    "path of a file": (
        ["src/a.py", "docs/résumé.md", "文档/说明.md", "pkg/@types/index.d.ts", "a/.env.local"],
        ["read/write", "2024/01/02", "application/json", "1.5/2.5", "km/h.", ".../cut/a.py"],
    ),
    "path with dots": (["./run", "../up", "~/notes"], ["./", "../", "~/"]),
    "name of a file": (
        ["config.yaml", "README.md", "test_memory.py", "Makefile", "Dockerfile", ".env.local"],
        ["self.token", "Node.js", "e.g", "os.path", "3.14", "v1.2", "ASP.NET"],
    ),
    "commit": (["a1b2c3d", SHA, "9fceb02d0ae5"], ["deadbeef", "1234567", "a1b2c3", "accede7g"]),
    "hexadecimal number": (["0x" + SHA, "4bf92f3577b34da6a3ce929d"], ["0x7ffe12", "0xff", "1234567890123456"]),
    "ticket": (["ABC-123", "PROJ2-7", "INV-2024-0017", "CVE-2024-3094"], ["UTF-8", "SHA-256", "A-1", "ISO-8859-1"]),
    "id with a prefix": (
        ["req_011CSHoEeqs5C35K", "cus_9s6XKzkNRiz8i3", "order_4821", "price_test_1MoBy5LkdI"],
        ["to_base64", "as_float32", "module_12", "snake_case_name", "user_id", "max_tokens"],
    ),
    "number with a prefix": (
        ["order-4821", "user-100", "build-job-3312"],
        ["utf-16", "gpt-4", "top-100", "x-1", "a-bc"],
    ),
    "name with a hash": (
        ["i-0abcd1234ef567890", "web-7d9f8b6c5-x2x4z", "api-server-5c689d88bb"],
        ["two-words", "a-long-chain-of-words", "face-facade"],
    ),
}  # fmt: skip

KINDS = {rule.name: rule.kind for rule in WORD_RULES}


def test_every_rule_for_words_has_cases() -> None:
    assert list(WORDS) == list(KINDS)


@pytest.mark.parametrize(("name", "word"), [(name, word) for name in WORDS for word in WORDS[name][0]])
def test_word_is_found_by_its_rule(name: str, word: str) -> None:
    """The first rule that matches the word is the rule of this name."""
    assert read_word(word) == [(KINDS[name], word)]
    assert next(rule.name for rule in WORD_RULES if rule.pattern.fullmatch(word)) == name


@pytest.mark.parametrize("word", [word for found, others in WORDS.values() for word in others])
def test_word_is_no_fact(word: str) -> None:
    assert read_word(word) == []


LINES: dict[str, tuple[list[str], list[str]]] = {
    "exception": (
        [
            "ValueError: month must be in 1..12",
            "requests.exceptions.ConnectionError: refused",
            "Caused by: java.io.IOException: broken",
            "Uncaught TypeError: x is undefined",
            "KeyboardInterruptError",
            "error: no such option",
            "fatal error: stdio.h not found",
            "thread 'main' panicked at src/main.rs:4:5",
            "panic: runtime error",
        ],
        ["class FooError(Exception):", "except ValueError:", "raises an Error if", "no errors: fine", "self.error = 1"],
    ),
    "HTTP status": (
        [
            "HTTP/1.1 503 Service Unavailable",
            "HTTP 404 for /items",
            '{"status": 422}',
            "status code: 500",
            "it returned 429",
            "got 401 Unauthorized",
        ],
        ["HTTP/1.1 200 OK", "port 8404", "took 500 ms", "status 4040", "returned 404.5", "status: 200"],
    ),
    "exit code": (
        ["exit code 1", "Process exited with code 137", "exit status: 2", '"exit_code": 3', "returncode=-9"],
        ["exit code 0", "return 1", "exit the 2 rooms", '"exit_code": 0', "exit(1)"],
    ),
    "system error": (
        ["connect ECONNREFUSED 10.0.0.1", "EACCES", "getaddrinfo EAI_AGAIN db", "code: 'ERR_MODULE_NOT_FOUND'"],
        ["ERROR", "EXPECTED", "THEIO", "EIOX", "ENTER"],
    ),
    "SQLSTATE": (["SQLSTATE[23505]: unique violation", "(SQLSTATE 42P01)"], ["SQLSTATE", "SQLSTATE 1"]),
    "compiler code": (
        ["a.ts(3,5): TS2345 is reported", "see E0308", "CS0246 at line 3", "P2002 of the client"],
        ["TS1", "E308", "CSS2024", "the P100 card", "XE0308"],
    ),
}  # fmt: skip


def test_every_rule_for_lines_has_cases() -> None:
    assert list(LINES) == [rule.name for rule in LINE_RULES]


@pytest.mark.parametrize(("name", "line"), [(name, line) for name in LINES for line in LINES[name][0]])
def test_line_is_found_by_its_rule(name: str, line: str) -> None:
    """The line is found whole, at the beginning, in the middle and at the end of a text."""
    [rule] = [rule for rule in LINE_RULES if rule.name == name]

    assert rule.pattern.search(line)
    assert line in find_lines(line)
    assert line in find_lines(f"before\n{line}\nafter")


@pytest.mark.parametrize("line", [line for found, others in LINES.values() for line in others])
def test_line_is_no_error(line: str) -> None:
    assert list(find_lines(f"before\n{line}\nafter")) == []


def test_long_line_is_cut_at_words_around_the_code() -> None:
    """A line of any length gives the words near the code, none of them cut."""
    [line] = find_lines(f"{'before ' * 9_000}exit code 9 {'after ' * 9_000}")

    assert line.split("exit code 9")[0].split() == ["before"] * 11
    assert set(line.split("exit code 9")[1].split()) == {"after"}
    assert len(line) < 300


@pytest.mark.parametrize(
    ("text", "urls", "rest"),
    [
        ("See https://a.example/b?c=1&d=2#e.", ["https://a.example/b?c=1&d=2#e"], "See  "),
        ("[link](https://a.example/b) now", ["https://a.example/b"], "[link](  now"),
        ("postgres://ann@db:5432/app", ["postgres://ann@db:5432/app"], " "),
        ("看https://a.example/b。好", ["https://a.example/b"], "看 。好"),
        ("no :// scheme", [], "no :// scheme"),
        ("https://", [], "https://"),
        (f"https://a.example/{'x' * 600}", [], " "),
    ],
)
def test_urls_are_found_whole(text: str, urls: list[str], rest: str) -> None:
    """A URL ends before white space, quotes and the sentence's punctuation. One that is too long is left out."""
    assert find_urls(text) == (urls, rest)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('{"path":"src/a.py","id":"req_12345678"}', [("path", "src/a.py"), ("id", "req_12345678")]),
        ("src/a.py:12:5: unused", [("path", "src/a.py")]),
        ('File "/app/x.py", line 3', [("path", "/app/x.py")]),
        ("(see `docs/b.md` and Makefile).", [("path", "docs/b.md"), ("path", "Makefile")]),
        ("请修改src/app.py文件", [("path", "src/app.py")]),
        ("--config=/etc/app/x.toml", [("path", "/etc/app/x.toml")]),
        ("id=ABC-123; host=localhost:80,", [("id", "ABC-123"), ("address", "localhost:80")]),
        ("a/" * 200 + "b.py", []),
    ],
)
def test_facts_are_found_within_punctuation(text: str, facts: list[tuple[str, str]]) -> None:
    """Quotes, brackets and line numbers around a fact are no part of it. A word that is too long is left out."""
    assert [fact for word in find_words(text) for fact in read_word(word)] == facts


def test_lines_of_a_huge_text_are_found_wherever_they_are() -> None:
    """Short lines are never divided between two searches."""
    filler = "usual output of a tool\n"
    text = "".join(f"{filler * 997}exit code {number}\n" for number in range(1, 60))

    assert list(find_lines(text)) == [f"exit code {number}" for number in range(1, 60)]


@pytest.mark.parametrize("mark", ["\n", " ", '","'])
def test_words_of_a_huge_text_are_whole(mark: str) -> None:
    words = [f"src/part_{number}.py" for number in range(20_000)]

    assert find_words(mark.join(words)) == words


@pytest.mark.parametrize("filler", ["a ", "a line\n"])
def test_one_search_reads_a_small_part_of_a_huge_text(monkeypatch: pytest.MonkeyPatch, filler: str) -> None:
    """A search holds the interpreter's lock. Thirty megabytes would block the event loop for seconds."""
    read: list[int] = []

    class Spy:
        def finditer(self, text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
            read.append((len(text) if end is None else end) - start)
            return iter(())

    spy: Any = Spy()
    monkeypatch.setattr(fact_rules, "LINE_RULES", (fact_rules.LineRule("spy", ("a",), spy),))
    text = filler * 200_000

    assert list(find_lines(text)) == []
    assert sum(read) == len(text)
    assert max(read) <= 100_000
