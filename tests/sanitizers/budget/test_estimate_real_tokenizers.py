"""Tests that compare estimates and bounds with OpenAI's own tokenizers, from litellm's package."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from random import Random

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.real_tokenizers import bundled_openai
from sanitizers.budget.estimate import count_text
from sanitizers.budget.families import CL100K, O200K, UNKNOWN, Family
from sanitizers.budget.upper_bound import upper_bound
from tests.support.builders import tool, user
from tests.support.strategies.texts import FLAVOURS

ENCODINGS = {"o200k": bundled_openai("o200k_base"), "cl100k": bundled_openai("cl100k_base")}
ROWS = [
    pytest.param(O200K, ENCODINGS["o200k"], id="o200k"),
    pytest.param(CL100K, ENCODINGS["cl100k"], id="cl100k"),
]

draw = Random(7)
DATA = draw.randbytes(12_000)
BASE64 = b64encode(DATA).decode()
URL64 = urlsafe_b64encode(DATA).decode()


def wrapped(width: int) -> str:
    """Return the base64 of ``DATA`` in lines of *width* characters."""
    return "\n".join(BASE64[at : at + width] for at in range(0, len(BASE64), width))


HEADER = urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode()

SHAPES = {
    "base64": BASE64,
    "base64url": URL64,
    "mime": wrapped(76),
    "pem": wrapped(64),
    "jwt": "\n".join(
        f"Bearer {HEADER}.{URL64[at : at + 180]}.{URL64[at : at + 43]}" for at in range(0, 9_000, 180)
    ),
    "lock": "\n".join(
        f'      "integrity": "sha512-{b64encode(DATA[at : at + 64]).decode()}",'
        for at in range(0, 12_000, 64)
    ),
    "emoji": "".join(draw.choices("😀😂🔥🎉👍🚀🤖💡📦🧪✅❌", k=2_000)),
    "emoji joined": "👨\u200d👩\u200d👧\u200d👦🏳\ufe0f\u200d🌈👩🏽\u200d💻" * 200,
    "log with emoji": "✅ test passed 🚀 build ok\n" * 300,
    "columns": "\n".join("   ".join(f"{word:>10}" for word in ("a", "bb", "c", "1")) for _ in range(300)),
    "table": "\n".join(f"| {f'col{n}':<30} | {f'v{n * 7}':<20} | {n:>8} |" for n in range(300)),
    "tabs": "\t\t\tfoo\tbar\t\tbaz\n" * 300,
    "listing": "\n".join(
        f"-rw-r--r--  1 root   staff   {n * 977:>7} Nov {n % 30:>2} file_{n}.py" for n in range(300)
    ),
    "arabic": "هذا اختبار ونحن بحاجة إلى تقدير عدد الرموز " * 200,
    "greek": "Αυτό είναι ένα τεστ και πρέπει να εκτιμήσουμε τα tokens. " * 200,  # noqa: RUF001
    "hebrew": "זה מבחן ואנחנו צריכים להעריך את מספר האסימונים " * 200,
    "russian": "Это проверка, нам нужно оценить количество токенов в тексте. " * 200,
    "amharic": "ይህ ፈተና ነው እና የቶከኖችን ብዛት መገመት አለብን " * 200,
    "hindi": "यह एक परीक्षण है और हमें टोकन की संख्या का अनुमान लगाना है। " * 200,
    "chinese": "上下文窗口的大小由模型决定，我们在发送之前估计令牌数。" * 200,  # noqa: RUF001
    "hex": DATA.hex(),
    "json": json.dumps([{"id": n, "name": f"user{n}", "ok": True} for n in range(300)]),
}
"""Texts of the shapes that agents often send."""

DENSE = (
    "👨\u200d👩\u200d👧🏽🇩🇪", "\U000e0041\U000e0042\U000e007f", "\U00020000\U0002a6d6", "㐀㐁䶵", "龘靐齉", "뷁쀍",
    "\u2800\u28ff", "\U0001d49c\U0001d4d1\U0001d520", "\ue000\uf8ff", "Z\u0351\u0368\u0320", "ሀለሐ",
    "\x00\x01\x1b[", "a\u200bb", "Ã©Â¢", "\ud800",
    " \t \t", "1a2B", "{}();", "xqzj", "꙰\u0488",
)  # fmt: skip
"""Texts with many tokens a character."""

texts = st.text(st.characters() | st.characters(min_codepoint=0x2000), max_size=60) | st.lists(
    st.sampled_from((*DENSE, *FLAVOURS)) | st.text(max_size=5), max_size=8
).map("".join)


@pytest.mark.parametrize(("family", "encoding"), ROWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_usual_shape_is_a_quarter_too_low(family: Family, encoding: tiktoken.Encoding, shape: str) -> None:
    """The estimate is 75 to 150 % of the real count.

    A request with too low an estimate is sent and refused. A high estimate only costs room.
    """
    text = SHAPES[shape]
    real = len(encoding.encode_ordinary(text))
    assert 0.75 < count_text(text, family) / real < 1.5


@pytest.mark.parametrize(("family", "encoding"), ROWS)
@given(text=texts, times=st.integers(1, 50))
def test_the_bound_is_no_less_than_the_real_count(
    family: Family, encoding: tiktoken.Encoding, text: str, times: int
) -> None:
    """Any Unicode text is bounded, for the tokenizer's own family and for an unknown one."""
    long = text * times
    real = len(encoding.encode_ordinary(long))
    assert real <= upper_bound(family, [user(long)])
    assert real <= upper_bound(UNKNOWN, [tool("c1", long)])


@pytest.mark.parametrize(("family", "encoding"), ROWS)
@pytest.mark.parametrize("dense", DENSE)
def test_the_densest_texts_are_bounded(family: Family, encoding: tiktoken.Encoding, dense: str) -> None:
    """Each text is so long that the overhead of a message does not matter."""
    assert len(encoding.encode_ordinary(dense * 500)) <= upper_bound(family, [user(dense * 500)])
