"""The URL of responses at a provider, from the URL of its chats."""

from __future__ import annotations

from yarl import URL

_CHATS = "/chat/completions"
_OF_DEPLOYMENT = "/openai/deployments/"


def responses_url(chat_url: str) -> str:
    """Return the URL of responses for *chat_url*, the URL of chats at the same provider.

    Azure's dated addresses name the deployment for chats, and not for responses, where the body names it
    (learn.microsoft.com, "Azure OpenAI Responses API", 2026-11). The version stays in the query.
    """
    url = URL(chat_url)
    path = url.path.removesuffix(_CHATS)
    before, named, _ = path.partition(_OF_DEPLOYMENT)
    below = f"{before}/openai" if named else path
    return str(url.with_path(f"{below}/responses", keep_query=True))
