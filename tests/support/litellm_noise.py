"""Filters for litellm warnings that no caller can avoid, for the `pytestmark` of modules that run litellm."""

import pytest

LITELLM_NOISE = [
    # Its transport keeps sockets that are closed by the collector, and says so from there.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Item '.*' on TypedDict class:UserWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]
