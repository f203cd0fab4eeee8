"""Tests of the page's files, with their content types and headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.ingress.page_headers import POLICY
from proxy.inspector import routes
from proxy.inspector.pages import read_files
from tests.support.proxied import proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with a small page, which the proxy serves in place of the real page."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "app.js").write_text("1")
    (tmp_path / "parts" / "one.css").write_text("a{}")
    (tmp_path / "notes.txt").write_text("secret")
    monkeypatch.setattr(routes, "FILES", tmp_path)
    return tmp_path


def test_files_are_known_by_path_and_tagged_by_content(page: Path) -> None:
    """Files of other types are left out."""
    files = read_files(page)

    assert {name: file.content_type.partition(";")[0] for name, file in files.items()} == {
        "app.js": "text/javascript",
        "index.html": "text/html",
        "parts/one.css": "text/css",
    }
    assert len({file.etag for file in files.values()}) == 3
    assert read_files(page / "none") == {}


async def test_page_is_served_without_a_key(page: Path, upstream: ScriptedUpstream) -> None:
    """A browser that has a file gets a 304."""
    async with proxied(settings_of(general_settings={"master_key": "k"}), upstream) as proxy:
        answers = [await proxy.get(path) for path in ("/ui", "/ui/", "/ui/app.js", "/ui/parts/one.css")]
        again = await proxy.get("/ui", headers={"If-None-Match": answers[0].headers["ETag"]})
        weak = await proxy.get("/ui", headers={"If-None-Match": f"W/{answers[0].headers['ETag']}"})

    assert [(answer.status, answer.raw) for answer in answers] == [
        (200, b"<!doctype html>"),
        (200, b"<!doctype html>"),
        (200, b"1"),
        (200, b"a{}"),
    ]
    assert answers[0].headers["Content-Type"] == "text/html; charset=utf-8"
    assert again.headers["Content-Security-Policy"] == POLICY
    assert [(one.status, one.raw) for one in (again, weak)] == [(304, b""), (304, b"")]


@pytest.mark.parametrize(
    "path",
    [
        "/ui/none.js",
        "/ui/notes.txt",
        "/ui/../pages.py",
        "/ui/%2e%2e/pages.py",
        "/ui//etc/passwd",
        "/ui/parts",
    ],
)
async def test_unknown_file_of_the_page_is_a_404(page: Path, upstream: ScriptedUpstream, path: str) -> None:
    """The page's paths lead only to files of its directory."""
    async with proxied(settings_of(), upstream) as proxy:
        answer = await proxy.raw(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )

    assert answer.status == 404


async def test_page_and_its_api_are_absent_with_the_inspector_off(
    page: Path, upstream: ScriptedUpstream
) -> None:
    """Each path of the page and of its API is a 404."""
    async with proxied(settings_of(general_settings={"ui": False}), upstream) as proxy:
        found = [await proxy.get(path) for path in ("/ui", "/ui/app.js", "/ui/api/models", "/ui/api/live")]
        found += [await proxy.post({"request": []}, path) for path in ("/ui/api/look", "/ui/api/verdicts")]

    assert {answer.status for answer in found} == {404}
    assert {answer.error["code"] for answer in found} == {"not_found"}
