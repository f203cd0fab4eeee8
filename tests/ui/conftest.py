"""Fixtures of the page's tests: processes and a browser. Without Chromium the tests are skipped with a reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.running import Served, emulate, serve
from tests.ui.browsing import FLAGS, WIDE, Reader, find_axe, find_chromium

KEY = "sk-inspector"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium, headless, with a profile of its own."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: make test-ui"
    )
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium here: install Debian's package chromium, or set TURNRIGHT_CHROMIUM")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=list(FLAGS), headless=True)
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> Path:
    """Return the path of axe's script, which judges accessibility."""
    found = find_axe()
    if found is None:
        pytest.skip(
            "axe-core is not here: make .venv/clients-node/installed fetches it, or set TURNRIGHT_AXE"
        )
    return found


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the processes' configurations and outputs."""
    return tmp_path_factory.mktemp("ui")


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory for pictures: ``TURNRIGHT_PICTURES``, or one that pytest deletes."""
    named = os.environ.get("TURNRIGHT_PICTURES")
    path = Path(named) if named else tmp_path_factory.mktemp("pictures")
    path.mkdir(parents=True, exist_ok=True)
    return path


def configure(api_base: str, **general: Any) -> dict[str, Any]:
    """Return a configuration with four models.

    Two models are emulated, and one of these two has a small window. litellm asks another one.
    """
    models: dict[str, tuple[dict[str, str], dict[str, int]]] = {
        "gemini": ({"model": "gemini/gemini-3.6-flash", "api_base": api_base}, {}),
        "small": ({"model": "gemini/gemini-2.5-flash", "api_base": api_base}, {"max_input_tokens": 12_000}),
        "claude": ({"model": "anthropic/claude-sonnet-4-5"}, {}),
        "gpt": ({"model": "openai/gpt-4o"}, {}),
    }
    return {
        "model_list": [
            {
                "model_name": name,
                "litellm_params": {**params, "api_key": "emulated"},
                "model_info": info,
                "transport": "litellm" if name == "gpt" else "auto",
            }
            for name, (params, info) in models.items()
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 1, **general},
        "router_settings": {"num_retries": 0},
    }


@pytest.fixture(scope="session")
def gemini(directory: Path) -> Iterator[Gemini]:
    """Run ``turnright emulate``."""
    with emulate(directory) as origin, httpx.Client(timeout=30, trust_env=False) as client:
        yield Gemini(origin, client)


@pytest.fixture(scope="session")
def served(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` without a key. The inspector keeps the bodies of recent requests."""
    config = configure(gemini.api_base, inspector={"bodies": True})
    with serve(directory, config) as process:
        yield process


@pytest.fixture(scope="session")
def plain(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` as it is by default: without a key, keeping no bodies."""
    with serve(directory, configure(gemini.api_base)) as process:
        yield process


@pytest.fixture(scope="session")
def locked(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` with a master key, keeping no bodies."""
    with serve(directory, configure(gemini.api_base, master_key=KEY)) as process:
        yield process


Opened = Callable[..., Reader]


@pytest.fixture
def read(browser: Any, served: Served) -> Iterator[Opened]:
    """Return a function that makes a :class:`Reader` with a new browser context. The reader's faults fail the test."""
    contexts: list[Any] = []
    readers: list[Reader] = []

    def make(origin: str = served.origin, **options: Any) -> Reader:
        context = browser.new_context(**{"viewport": WIDE, "color_scheme": "light", **options})
        contexts.append(context)
        readers.append(Reader(context.new_page(), origin))
        return readers[-1]

    yield make
    for context in contexts:
        context.close()
    for reader in readers:
        assert reader.faults == []
