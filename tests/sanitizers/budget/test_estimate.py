"""Tests of estimates for texts, messages, histories and tools. No JSON value raises an error."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget import estimate
from sanitizers.budget.estimate import SAMPLE, STRETCH, WHOLE, Estimator, count_text
from sanitizers.budget.families import (
    CLAUDE_3,
    FAMILIES,
    GEMINI,
    O200K,
    QWEN_3,
    Family,
)
from sanitizers.budget.text_cache import TextCache
from tests.sanitizers.budget.read_lengths import note_lengths
from tests.support.builders import assistant, call, image, legacy_call, legacy_result, text, tool, user
from tests.support.strategies.arbitrary import any_histories
from tests.support.strategies.hostile import junk
from tests.support.strategies.legal import legal_histories
from tests.support.strategies.texts import FLAVOURS

families = st.sampled_from(FAMILIES)
some_text = st.text(max_size=200) | st.sampled_from(FLAVOURS) | st.text("aB1+/ ", min_size=190, max_size=420)
WORDS = "The quick brown fox jumps over the lazy dog. "


def uncached(family: Family) -> Estimator:
    """Return an estimator without a cache."""
    return Estimator(family, lambda text: count_text(text, family))


class TestTexts:
    """The tokens of a text."""

    def test_an_empty_text_has_no_tokens(self) -> None:
        assert count_text("", O200K) == 0

    @given(families, some_text, some_text)
    def test_appended_text_never_lowers_an_estimate(self, family: Family, before: str, more: str) -> None:
        """Appended or prepended text never lowers an estimate.

        The rule holds even where a run of letters becomes long enough to count as base64.
        """
        tokens = count_text(before, family)
        assert tokens <= count_text(before + more, family) + 1e-9
        assert tokens <= count_text(more + before, family) + 1e-9

    @pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
    def test_base64_has_its_own_rate(self, family: Family) -> None:
        """A long run of base64 costs at least the family's rate for each byte."""
        run = b64encode(bytes(range(256)) * 12).decode()
        assert len(run) * family.base64 <= count_text(run, family) + 2 < len(run) * 1.6

    def test_prose_is_near_what_tokenizers_count(self) -> None:
        """Prose is estimated near the real count. OpenAI's tokenizer counts ten tokens for this sentence."""
        assert math.isclose(count_text(WORDS * 100, O200K), 1_000, rel_tol=0.1)


class TestMessages:
    """The tokens of a message."""

    estimator = Estimator(O200K)

    def tokens(self, message: dict[str, Any]) -> int:
        """Return a message's tokens at OpenAI."""
        return self.estimator.message_tokens(message)

    def test_a_message_costs_its_text_and_three_tokens(self) -> None:
        """A message costs its text, and OpenAI's overhead of three tokens."""
        assert 3 == self.tokens(user(""))
        assert round(3 + count_text(WORDS, O200K)) == self.tokens(user(WORDS))

    def test_parts_count_as_their_texts(self) -> None:
        """A content's text parts cost the tokens of their texts."""
        assert abs(self.tokens(user([text(WORDS), text(WORDS)])) - self.tokens(user(WORDS)) * 2 + 3) <= 1

    def test_calls_cost_their_names_and_arguments_and_not_their_ids(self) -> None:
        """Calls cost their names and arguments, and not their ids, which a model does not read."""
        one = assistant(None, [call("c1", "read_file", json.dumps({"path": "/src/app.py"}))])
        two = assistant(None, [*one["tool_calls"], *one["tool_calls"]])
        long_id = assistant(None, [{**one["tool_calls"][0], "id": "c" * 500}])
        assert 15 < self.tokens(one) < 25
        assert abs(2 * self.tokens(one) - self.tokens(two) - 3) <= 1
        assert self.tokens(one) == self.tokens(long_id)

    def test_arguments_may_be_an_object(self) -> None:
        """Arguments given as an object cost the same as their JSON."""
        arguments = {"path": "/src/app.py", "lines": [1, 2]}
        as_text = assistant(None, [call("c1", "f", orjson.dumps(arguments).decode())])
        assert self.tokens(as_text) == self.tokens(assistant(None, [call("c1", "f", arguments)]))

    def test_legacy_and_custom_calls_cost_the_same_as_calls(self) -> None:
        """Legacy and custom calls cost the same as calls.

        A legacy result costs more than a tool result, since its name counts.
        """
        plain = self.tokens(assistant(None, [call("c1", "f", WORDS)]))
        assert plain == self.tokens(legacy_call("f", WORDS))
        custom = {"id": "c1", "type": "custom", "custom": {"name": "f", "input": WORDS}}
        assert plain == self.tokens(assistant(None, [custom]))
        assert self.tokens(tool("c1", WORDS)) < self.tokens(legacy_result("read_file", WORDS))

    def test_results_have_an_overhead(self) -> None:
        """A tool result costs OpenAI's overhead of six tokens more than a user message with the same text."""
        assert 6 == self.tokens(tool("c1", WORDS)) - self.tokens(user(WORDS))

    def test_a_result_of_any_json_costs_its_json(self) -> None:
        """A result that is an object, a number or a list costs its JSON."""
        assert self.tokens(tool("c1", {"answer": 1})) == self.tokens(tool("c1", '{"answer":1}'))
        assert self.tokens(tool("c1", 42)) == self.tokens(tool("c1", "42"))
        assert self.tokens(tool("c1", ["a", "b"])) > self.tokens(tool("c1", ""))

    @pytest.mark.parametrize(
        "thoughts",
        [
            {"reasoning_content": WORDS},
            {"reasoning": WORDS},
            {"thinking_blocks": [{"type": "thinking", "thinking": WORDS, "signature": "x" * 900}]},
            {"reasoning_details": [{"type": "reasoning.text", "text": WORDS}]},
            {"content": [{"type": "thinking", "thinking": WORDS, "signature": "x" * 900}]},
            {"reasoning_content": WORDS, "reasoning": WORDS},
        ],
        ids=["content", "reasoning", "blocks", "details", "part", "twice"],
    )
    def test_reasoning_in_several_fields_counts_once(self, thoughts: dict[str, Any]) -> None:
        """Reasoning in several fields counts once, and its signatures do not count."""
        assert self.tokens(user(WORDS)) == self.tokens({"role": "assistant", "content": None, **thoughts})

    def test_name_and_refusal_count_as_texts(self) -> None:
        """The fields ``name`` and ``refusal`` cost tokens, since the model reads both."""
        assert self.tokens(user(WORDS, name="Alice")) > self.tokens(user(WORDS))
        assert self.tokens(assistant(None, refusal=WORDS)) == self.tokens(user(WORDS))

    def test_unknown_fields_do_not_count(self) -> None:
        """Unknown fields cost nothing, since the model does not read them."""
        assert self.tokens(user(WORDS)) == self.tokens(user(WORDS, cache_control={"type": "ephemeral"}))


class TestHistories:
    """The tokens of histories and requests."""

    @given(families, any_histories(), any_histories())
    def test_a_history_is_the_sum_of_its_messages(self, family: Family, first: Any, second: Any) -> None:
        """A history costs the sum of its messages, in any order."""
        estimator = Estimator(family)
        parts = estimator.history_tokens(first) + estimator.history_tokens(second)
        assert parts == estimator.history_tokens(first + second)
        assert parts == sum(map(estimator.message_tokens, first + second))

    @given(families, any_histories(), st.data())
    def test_appended_text_never_makes_a_message_cheaper(
        self, family: Family, history: Any, data: st.DataObject
    ) -> None:
        """Text that is appended to a content or a part never makes a message cheaper."""
        estimator = Estimator(family)
        message = data.draw(st.sampled_from(history))
        before = estimator.message_tokens(message)
        content = message.get("content")
        more = data.draw(some_text)
        longer: Any = more if content is None else content + more if isinstance(content, str) else None
        if isinstance(content, list):
            longer = [*content, text(more)]
        if longer is not None:
            assert before <= estimator.message_tokens({**message, "content": longer})
        if message["role"] == "assistant":
            calls = message.get("tool_calls") or []
            assert before < estimator.message_tokens(
                {**message, "tool_calls": [*calls, call("c9", "f", more)]}
            )

    @given(families, legal_histories())
    def test_the_cache_never_changes_an_estimate(self, family: Family, history: Any) -> None:
        """The cache never changes an estimate, even if the cache forgets texts at once."""
        fresh = orjson.loads(orjson.dumps(history))
        forgetful = Estimator(family, TextCache(lambda text: count_text(text, family), 1))
        expected = [uncached(family).message_tokens(message) for message in history]
        for estimator in (Estimator(family), forgetful, Estimator(family)):
            for messages in (history, fresh):
                assert expected == [estimator.message_tokens(message) for message in messages]

    def test_a_request_is_the_sum_of_messages_tools_format_and_overhead(self) -> None:
        """A request costs its messages, tools and format, and the provider's overhead once."""
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        form = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
        estimator = Estimator(O200K)
        expected = 3 + estimator.history_tokens([user(WORDS)])
        assert expected == estimator.request_tokens([user(WORDS)])
        expected += estimator.tools_tokens(tools) + estimator.format_tokens(form)
        assert expected == estimator.request_tokens([user(WORDS)], tools, form)

    def test_an_estimate_never_mutates_the_messages(self) -> None:
        history = [user([text(WORDS), image()]), assistant(None, [call("c1")])]
        before = json.dumps(history)
        Estimator(O200K).history_tokens(history)
        assert before == json.dumps(history)

    def test_estimators_of_one_family_share_the_cache(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Estimators of one family share the cache, which finds an equal text in another string object."""
        counted = note_lengths(monkeypatch, estimate, "count_text")
        estimate._shared_cache.cache_clear()
        tokens = [Estimator(O200K).message_tokens(user("".join(["é"] * 9))) for _ in range(3)]
        assert counted == [9]
        assert len(set(tokens)) == 1


class TestTools:
    """The tokens of tools and formats."""

    tools = [
        {"type": "function", "function": {"name": f"tool_{n}", "description": WORDS * 4, "parameters": {}}}
        for n in range(5)
    ]

    def test_tools_cost_nine_tenths_of_their_json_and_eight_tokens_each(self) -> None:
        """Tools cost nine tenths of their JSON, and eight tokens each. Claude adds 400 tokens once."""
        for family, once in ((O200K, 0), (GEMINI, 0), (CLAUDE_3, 400)):
            written = count_text(orjson.dumps(self.tools).decode(), family)
            assert round(0.9 * written + 8 * 5 + once) == Estimator(family).tools_tokens(self.tools)

    @pytest.mark.parametrize("none", [None, [], {}, ""])
    def test_a_request_without_tools_has_no_tokens_for_them(self, none: Any) -> None:
        """A request without tools has no tokens for them. An empty value of any type counts as no tools."""
        assert Estimator(CLAUDE_3).tools_tokens(none) == 0

    @pytest.mark.parametrize(
        "plain", [None, {"type": "text"}, {"type": "json_object"}, "x", {"json_schema": None}]
    )
    def test_a_format_without_a_schema_has_no_tokens(self, plain: Any) -> None:
        """A format without a schema has no tokens, since the model sees only a schema."""
        assert Estimator(O200K).format_tokens(plain) == 0


class TestHostile:
    """Any JSON value can be estimated, at a bounded cost."""

    @given(
        families, st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "function_call"]), junk)
    )
    def test_no_json_value_in_a_message_raises(self, family: Family, message: dict[str, Any]) -> None:
        """Any value may stand in any field of a message, without an error."""
        assert Estimator(family).message_tokens(message) >= family.overheads.per_message

    @given(
        st.sampled_from(
            ["image_url", "image", "file", "input_audio", "video_url", "document", "text", "thinking"]
        ),
        st.dictionaries(st.sampled_from(["image_url", "source", "file", "text", "detail"]), junk),
        st.dictionaries(st.sampled_from(["url", "data", "file_data", "format", "detail"]), junk),
    )
    def test_no_json_value_in_a_part_raises(
        self, kind: str, part: dict[str, Any], inner: dict[str, Any]
    ) -> None:
        """Any value may stand in a part and within its fields, without an error."""
        for family in (O200K, CLAUDE_3):
            for value in (part, {**part, kind: inner}, {**part, "source": inner}):
                assert Estimator(family).message_tokens(user([{**value, "type": kind}])) >= 3

    def test_a_line_of_thirty_megabytes_is_read_in_samples(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A line of thirty megabytes is estimated from one sample of each stretch."""
        line = "x = 1; " * (30_000_000 // 7)
        real = 30 * count_text(line[:1_000_000], QWEN_3)
        read = note_lengths(monkeypatch, estimate, "features_of")
        tokens = uncached(QWEN_3).message_tokens(tool("c1", line))
        assert sum(read) <= WHOLE + len(line) // STRETCH * SAMPLE
        assert real <= tokens < 1.01 * real


class TestLargeTexts:
    """Texts beyond a million characters, of which only samples are read."""

    def test_a_text_up_to_the_whole_size_is_read_in_full(self) -> None:
        """A text of up to ``WHOLE`` characters is read in full. Its estimate is the sum of the pieces' estimates."""
        line = "x = 1; " * (WHOLE // 7)
        assert count_text(line + "1" * (WHOLE - len(line)), O200K) == pytest.approx(
            count_text(line, O200K) + count_text("1" * (WHOLE - len(line)), O200K), abs=2
        )

    def test_unread_text_counts_as_the_densest_sample(self) -> None:
        """Unread text counts as the densest sample so far, such as digits at the beginning of a stretch."""
        words, digits = WORDS * (WHOLE // len(WORDS) + 1), "7" * STRETCH
        plain, dense = words[:STRETCH], digits[:SAMPLE] + words[: STRETCH - SAMPLE]
        cheap, dear = count_text(plain, O200K), count_text(digits, O200K)
        assert count_text(plain + plain, O200K) == pytest.approx(2 * cheap, rel=0.01)
        assert count_text(plain + dense, O200K) == pytest.approx(cheap + dear, rel=0.01)
        assert count_text(plain + dense + plain, O200K) == pytest.approx(cheap + 2 * dear, rel=0.04)
        assert count_text(digits + plain, O200K) == pytest.approx(2 * dear, rel=0.04)

    @given(families, st.lists(some_text, min_size=1, max_size=4).map("".join), st.data())
    def test_appended_text_never_lowers_an_estimate(
        self, family: Family, text: str, data: st.DataObject
    ) -> None:
        """Appended text never lowers an estimate, wherever the samples end."""
        ends = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=9)))
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (("WHOLE", 64), ("STRETCH", 32), ("SAMPLE", 8)):
                patch.setattr(estimate, name, value)
            tokens = [count_text(text[:end], family) for end in ends]
        assert all(after >= before - 1e-9 for before, after in pairwise(tokens))
