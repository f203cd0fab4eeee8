"""Lists of Gemini's ``contents`` that break one of its rules, as its clients and their bridges were seen to send.

Each list is repaired for every provider, but for those of `UNREADABLE` and `GEMINI_ALONE`.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests.support.builders import PNG_URL

Json = dict[str, Any]

PNG = PNG_URL.partition(",")[2]
FOREIGN = b64encode(b"foreign").decode()


def user(*parts: Any) -> Json:
    """Return a content of the user."""
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> Json:
    """Return a content of the model."""
    return {"role": "model", "parts": list(parts)}


def text(value: Any, **extra: Any) -> Json:
    """Return a text part."""
    return {"text": value, **extra}


def thought(value: str = "Hm.", **extra: Any) -> Json:
    """Return a thought."""
    return {"text": value, "thought": True, **extra}


def call(id: str | None, name: str = "f", **fields: Any) -> Json:
    """Return a part with a call. A field that is ``...`` is left out."""
    given = {"id": id or ..., "name": name, "args": {}} | fields
    return {"functionCall": {key: value for key, value in given.items() if value is not ...}}


def response(id: str | None, value: Any, name: str = "f", **fields: Any) -> Json:
    """Return a part with a response, which is an object or a text. A field that is ``...`` is left out."""
    held = value if isinstance(value, dict) else {"output": value}
    given = {"id": id or ..., "name": name, "response": held} | fields
    return {"functionResponse": {key: value for key, value in given.items() if value is not ...}}


def image(mime_type: str = "image/png", data: Any = PNG) -> Json:
    """Return a part with an image."""
    return {"inlineData": {"mimeType": mime_type, "data": data}}


def file(address: str, mime_type: str = "application/pdf") -> Json:
    """Return a part with a file by its address."""
    return {"fileData": {"mimeType": mime_type, "fileUri": address}}


U = user(text("Hello."))
NEXT = user(text("And now?"))
BEHIND = model(text("Done."))
A, B = model(call("a")), model(call("a"), call("b"))
DONE = (BEHIND, NEXT)

BROKEN: dict[str, list[Json]] = {
    "text before the response": [U, A, user(text("Stop."), response("a", "one"))],
    "text behind the response": [U, A, user(response("a", "one"), text("Stop."))],
    "image before the response": [U, A, user(image(), response("a", "one"))],
    "responses around a text": [U, B, user(response("a", "one"), text("between"), response("b", "two"))],
    "responses split over contents": [U, B, user(response("a", "one")), user(response("b", "two")), NEXT],
    "responses split by an answer": [
        *(U, B, user(response("a", "one")), model(text("I see."))),
        *(user(response("b", "two")), NEXT),
    ],
    "responses in order of completion": [
        *(U, model(*map(call, "abcd"))),
        user(response("c", "3"), response("a", "1"), response("b", "2"), response("d", "4")),
    ],
    "responses without ids": [U, B, user(response(None, "one"), response(None, "two")), *DONE],
    "responses of calls without ids": [
        *(U, model(call(None), call(None, "g"))),
        *(user(response(None, "two", "g"), response(None, "one")), *DONE),
    ],
    "ids on responses alone": [U, model(call(None)), user(response("a", "one")), *DONE],
    "another id with its name": [U, A, user(response("z", "one")), *DONE],
    "another name with its id": [U, A, user(response("a", "one", "g")), *DONE],
    "response without a name": [
        *(U, A, user({"functionResponse": {"id": "a", "response": {"output": "one"}}}), *DONE),
    ],
    "one response missing": [U, B, user(response("a", "one")), *DONE],
    "no responses": [U, B, NEXT],
    "calls at the end": [U, B],
    "orphan at the start": [user(response("z", "lost")), *DONE],
    "orphan without an id": [user(response(None, "lost")), *DONE],
    "orphan among responses": [U, A, user(response("z", "lost", "g"), response("a", "one")), *DONE],
    "response before its call": [U, user(response("a", "one"), text("Go.")), A, NEXT],
    "response much too late": [U, A, user(text("x")), BEHIND, user(response("a", "one"))],
    "two responses to one call": [U, A, user(response("a", "one"), response("a", "two")), *DONE],
    "an id twice in a content": [
        *(U, model(call("a"), call("a"))),
        *(user(response("a", "one"), response("a", "two")), *DONE),
    ],
    "an id used again": [U, A, user(response("a", "one")), A, user(response("a", "two")), *DONE],
    "illegal id": [U, model(call("functions.f:0")), user(response("functions.f:0", "one")), *DONE],
    "long id": [U, model(call("c" * 300)), user(response("c" * 300, "one")), *DONE],
    "illegal name": [U, model(call("a", "my tool.v1")), user(response("a", "one", "my tool.v1")), *DONE],
    "text behind a call": [U, model(call("a"), text("I called.")), user(response("a", "one")), NEXT],
    "arguments in a text": [U, model(call("a", args='{"q": 1}')), user(response("a", "one")), *DONE],
    "arguments in a list": [U, model(call("a", args=[1])), user(response("a", "one")), *DONE],
    "arguments are null": [U, model(call("a", args=None)), user(response("a", "one")), *DONE],
    "no arguments": [U, model(call("a", args=...)), user(response("a", "one")), *DONE],
    "response is null": [U, A, user(response("a", "", response=None)), *DONE],
    "no response": [U, A, user(response("a", "", response=...)), *DONE],
    "response is a text": [U, A, user(response("a", "", response="one")), *DONE],
    "response is a list": [U, A, user(response("a", "", response=["one"])), *DONE],
    "empty response": [U, A, user(response("a", {})), *DONE],
    "empty text in a response": [U, A, user(response("a", "")), *DONE],
    "failed response": [U, A, user(response("a", {"error": "No such file."})), *DONE],
    "response of objects": [U, A, user(response("a", {"rows": [{"x": 1}], "next": None})), *DONE],
    "image in a response": [U, A, user(response("a", "See.", parts=[image()]))],
    "empty text of the user": [user(text("")), *DONE],
    "blank text of the user": [user(text(" \n"), text("Hi.")), *DONE],
    "null text of the user": [user(text(None), text("Hi.")), *DONE],
    "no parts of the user": [user(), *DONE],
    "null parts of the user": [{"role": "user", "parts": None}, *DONE],
    "parts that are one part": [{"role": "user", "parts": text("Hi.")}, *DONE],
    "no parts of the model": [U, model(), NEXT],
    "blank text of the model": [U, model(text("\n\n")), NEXT],
    "empty text before a call": [U, model(text(""), call("a")), user(response("a", "one")), *DONE],
    "part without data": [user({}, text("Hi.")), *DONE],
    "part of a signature": [U, model({"thoughtSignature": FOREIGN}, text("x")), NEXT],
    "part of two kinds": [U, model({**text("x"), **call("a")}), user(response("a", "one")), *DONE],
    "model first": [BEHIND, NEXT],
    "call first": [A, user(response("a", "one")), NEXT],
    "model last": [U, model(text("The answer is"))],
    "model last with a trailing blank": [U, model(text("The answer is "))],
    "neighbours of one role": [U, NEXT, BEHIND, model(text("Really.")), user(text("Hello again."))],
    "no role": [{"parts": [text("Hi.")]}, *DONE],
    "no role at a response": [U, A, {"parts": [response("a", "one")]}, *DONE],
    "role of a chat": [U, {"role": "assistant", "parts": [text("x")]}, NEXT],
    "role in capitals": [U, {"role": "MODEL", "parts": [text("x")]}, {**NEXT, "role": "USER"}],
    "system among the contents": [{"role": "system", "parts": [text("Be brief.")]}, U, *DONE],
    "role of a function": [U, A, {"role": "function", "parts": [response("a", "one")]}, *DONE],
    "role of a tool": [U, A, {"role": "tool", "parts": [response("a", "one")]}, *DONE],
    "call of the user": [user(call("a")), user(response("a", "one")), *DONE],
    "response of the model": [U, A, model(response("a", "one")), NEXT],
    "thought": [U, model(thought(), text("x")), NEXT],
    "thought alone": [U, model(thought()), NEXT],
    "thought at the end of a content": [U, model(text("x"), thought()), NEXT],
    "thought behind its call": [U, model(call("a"), thought()), user(response("a", "one"))],
    "thought of the user": [user(thought(), text("Hi.")), *DONE],
    "call that is a thought": [U, model({**call("a"), "thought": True}), user(response("a", "one")), *DONE],
    "signature of another maker": [
        *(U, model({**call("a"), "thoughtSignature": FOREIGN}), user(response("a", "one"))),
    ],
    "signature in no base64": [
        *(U, model({**call("a"), "thoughtSignature": "%%%"}), user(response("a", "one"))),
    ],
    "signature of the second call": [
        *(U, model(call("a"), {**call("b"), "thoughtSignature": FOREIGN})),
        user(response("a", "one"), response("b", "two")),
    ],
    "signature at a text": [U, model(text("x", thoughtSignature=FOREIGN)), NEXT],
    "image of another type": [user(image("image/jpeg"), text("See.")), *DONE],
    "image of the model": [U, model(image(), text("x")), NEXT],
    "image without a type": [user(image(""), text("See.")), *DONE],
    "code": [
        U,
        model(
            {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            text("It is one."),
        ),
        NEXT,
    ],
}
"""Lists without a ``systemInstruction``. Each text in a list is there once."""

UNREADABLE: dict[str, tuple[Any, str]] = {
    "contents that are null": (None, "contents"),
    "no contents": ([], "contents"),
    "content that is a text": (["Hi."], "contents[0]"),
    "content that is a list": ([U, BEHIND, [text("Hi.")]], "contents[2]"),
    "parts that are a text": ([U, BEHIND, {"role": "user", "parts": "Hi."}], "contents[2].parts"),
    "part that is a text": ([U, BEHIND, user("Hi.")], "contents[2].parts[0]"),
    "text that is a number": ([user(text("x"), text(5))], "contents[0].parts[1].text"),
    "call that is a text": ([U, model({"functionCall": "f"}), NEXT], "contents[1].parts[0]"),
    "response that is a text": ([U, A, user({"functionResponse": "one"})], "contents[2].parts[0]"),
    "image that is a text": ([user({"inlineData": PNG})], "contents[0].parts[0]"),
    "image in no base64": ([user(image(data="%%%"))], "contents[0].parts[0]"),
    "image without data": ([user(image(data=None))], "contents[0].parts[0]"),
    "file that is a text": ([user({"fileData": "files/1"})], "contents[0].parts[0]"),
    "file without an address": ([user({"fileData": {"mimeType": "text/plain"}})], "contents[0].parts[0]"),
}
"""Lists that nobody can read, with the beginning of the path of the fault."""

YOUTUBE = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"

GEMINI_ALONE: dict[str, tuple[list[Json], str]] = {
    "file of the account": ([user(text("See."), file("files/abc"))], "contents[0].parts[1]"),
    "file by its address": (
        [user(file("https://generativelanguage.googleapis.com/v1beta/files/abc"), text("See."))],
        "contents[0].parts[0]",
    ),
    "file in a bucket": ([U, BEHIND, user(file("gs://bucket/a.pdf"), text("See."))], "contents[2].parts[0]"),
    "video": ([user(file(YOUTUBE, "video/mp4"), text("See."))], "contents[0].parts[0]"),
}
"""Lists that only Gemini may understand, with the path that a refusal for another provider names."""
