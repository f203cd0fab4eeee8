"""Tests of the shared window that counts for all tenants of one deployment."""

from __future__ import annotations

from proxy.state.agreement import Agreement
from proxy.state.lessons import Learned, no_lessons
from proxy.state.sharing.coded_window import CodedWindow
from proxy.state.sharing.lesson_values import Window
from tests.proxy.planning.budgets.shapes import deployment_of

WINDOW = Learned(8_000)


def coded(*agreements: Agreement) -> CodedWindow:
    """Return the coded window of a deployment whose entries have *agreements*."""
    window = CodedWindow("0" * 32)
    for number, agreed in enumerate(agreements):
        lessons = no_lessons(deployment_of())
        window.copies[f"t{number}"] = {id(lessons): (lessons, agreed)}
    return window


def test_a_window_counts_in_the_agreements_of_all_entries() -> None:
    first, second = Agreement(), Agreement()
    coded(first, second).adopt_window(Window(WINDOW), 0.0, 3_600.0)
    assert first.named == second.named == (WINDOW, 3_600.0)
    assert first.says_anything


def test_a_window_that_is_believed_keeps_its_end() -> None:
    agreed = Agreement()
    window = coded(agreed)
    window.adopt_window(Window(WINDOW), 0.0, 3_600.0)
    window.adopt_window(Window(WINDOW), 5.0, 3_605.0)
    assert agreed.named == (WINDOW, 3_600.0)
    window.adopt_window(Window(WINDOW), 3_600.0, 7_200.0)
    assert agreed.named == (WINDOW, 7_200.0)


def test_a_guess_and_a_quotation_count_for_nobody() -> None:
    agreed = Agreement()
    window = coded(agreed)
    window.adopt_window(Window(WINDOW, inside_text=True), 0.0, 3_600.0)
    window.adopt_window(Window(Learned(8_000, guessed=True)), 0.0, 3_600.0)
    assert agreed.named is None


def test_a_dropped_window_counts_no_more() -> None:
    agreed = Agreement()
    window = coded(agreed, agreed)
    window.adopt_window(Window(WINDOW), 0.0, 3_600.0)
    window.drop_window(5.0)
    assert agreed.named is None
    assert not agreed.says_anything
