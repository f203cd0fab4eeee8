"""Tests that what the documents link to and name exists, and that their configurations are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.config import load_settings
from sanitizers.steps import STEP_NAMES
from tests.support.markdown_tables import key_in, rows_under

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "deploy").rglob("*.md")),
]
README = ROOT / "README.md"
CLIENTS = ROOT / "docs" / "clients.md"
"""This document shows configurations of clients, which ``tests/clients/test_documented_clients.py`` tests."""

MAX_LINES = 150

FOLDERS = ("benchmarks", "deploy", "docs", "proxy", "sanitizers", "tests")
MAX_WORDS = 25
"""The most words in a sentence, since a longer sentence usually holds more than one thought."""

LONG = {"CHANGELOG.md", "deploy/README.md"}
"""Documents that have longer sentences; the list may only become shorter."""

MODELS = "model_list: [{model_name: a, litellm_params: {model: gemini/a}}]\n"
VARIABLES = re.compile(r"os\.environ/(\w+)")

documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def prose_of(document: Path) -> str:
    """Return a document without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    return {
        re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", prose_of(document), re.MULTILINE)
    }


def links_of(document: Path) -> list[tuple[str, str]]:
    """Return the relative links of a document: the path, empty for the document itself, and the anchor."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose_of(document))
    return [
        (path, anchor) for path, _, anchor in (one.partition("#") for one in targets) if "://" not in path
    ]


@documents
def test_every_link_leads_somewhere(document: Path) -> None:
    """The file and the heading of every relative link exist."""
    broken = []
    for path, anchor in links_of(document):
        target = (document.parent / path).resolve() if path else document
        is_there = target.exists() and (not anchor or target.suffix != ".md" or anchor in anchors_of(target))
        if not is_there:
            broken.append(f"{path}#{anchor}")

    assert broken == []


def sentences_of(document: Path) -> list[str]:
    """Return the sentences of a document: of its paragraphs, the points of its lists and the cells of its tables."""
    text = re.sub(r"\]\([^)]*\)", "]", prose_of(document))
    blocks = re.split(r"\n\n|\n(?=[-*|#]|\d+\. )", text)
    cells = [cell for block in blocks for cell in (block.split("|") if block.startswith("|") else [block])]
    return [one for cell in cells for one in re.split(r"(?<=[.!?:;])\s+", " ".join(cell.split()))]


@documents
def test_sentences_are_short(document: Path) -> None:
    """No sentence has more than 25 words; a part after a colon or a semicolon counts separately."""
    words = {sentence: len(re.findall(r"[\w'/.-]+", sentence)) for sentence in sentences_of(document)}
    long = {sentence: count for sentence, count in words.items() if count > MAX_WORDS}

    if str(document.relative_to(ROOT)) in LONG:
        assert long, "take it out of LONG"
    else:
        assert long == {}


@documents
def test_every_file_that_is_named_is_there(document: Path) -> None:
    """Every path from the root, and every file of the root, that a document names exists."""
    text = document.read_text(encoding="utf-8")
    paths = re.findall(rf"(?<![\w./-])((?:{'|'.join(FOLDERS)})/[\w./-]*[\w/])", text)
    files = re.findall(r"`(requirements[\w-]*\.lock|Makefile|pyproject\.toml|[A-Z]+\.md)`", text)

    assert {path for path in {*paths, *files} if not (ROOT / path).exists()} == set()


@documents
def test_every_target_and_module_that_is_named_is_there(document: Path) -> None:
    """``make X`` is a target of the Makefile, and ``python -m X`` a module of the repository."""
    text = document.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    modules = [ROOT / name.replace(".", "/") for name in re.findall(r"-m ((?:proxy|benchmarks)[\w.]*)", text)]

    assert named - targets == set()
    assert [path for path in modules if not (path.is_dir() or path.with_suffix(".py").exists())] == []


def a_text(path: str, most: int) -> bytes:
    """Return a text for each file that a configuration names."""
    return b"Be brief."


@pytest.mark.parametrize(
    "document",
    [one for one in DOCUMENTS if one != CLIENTS],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_configuration_that_is_shown_is_valid(document: Path) -> None:
    """Every configuration loads without warnings; one without models gets a model first."""
    shown = re.findall(
        r"^```yaml\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for text in shown:
        whole = text if "model_list:" in text else MODELS + text
        variables = dict.fromkeys(VARIABLES.findall(whole), "sk-0123456789")
        variables |= {name: f"sk-{number}-0123456789" for number, name in enumerate(variables)}

        assert load_settings(whole.encode(), variables, read_file=a_text).warnings == ()


def test_readme_is_short() -> None:
    """The README has at most 150 lines, and details stand in ``docs/``."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_every_document_is_linked_from_the_readme_or_the_architecture() -> None:
    """The README or ``docs/architecture.md`` links to every document."""
    linked = {
        (start.parent / path).resolve()
        for start in (README, ROOT / "docs" / "architecture.md")
        for path, _ in links_of(start)
    }

    assert set(DOCUMENTS) - linked - {README} == set()


@pytest.mark.parametrize(
    ("document", "heading"),
    [("README.md", "What it does to a history"), ("docs/histories.md", "The steps")],
)
def test_table_of_the_steps_is_the_pipeline(document: str, heading: str) -> None:
    """The table lists the steps in the order in which they run."""
    rows = rows_under((ROOT / document).read_text(encoding="utf-8"), heading)

    assert tuple(key_in(row[0]) for row in rows) == STEP_NAMES
