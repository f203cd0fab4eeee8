"""``make chaos``: send questions while providers fail, print the result, and fail on any violation."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import statistics
import sys
from collections import Counter

from benchmarks.chaos.asking import ANSWERED
from benchmarks.chaos.providers import OPENAI_NAME
from benchmarks.chaos.run import Report, run
from tests.support.compatible_emulator import PROVIDERS


def main() -> int:
    """Run the questions, print the report, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--requests", type=int, default=2_000, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=32, help="default: %(default)s")
    parser.add_argument(
        "--share", type=float, default=0.2, help="of the calls that fail (default: %(default)s)"
    )
    parser.add_argument("--transport", choices=("direct", "litellm"), default="direct")
    parser.add_argument(
        "--provider",
        action="append",
        choices=(OPENAI_NAME, *PROVIDERS),
        metavar="NAME",
        help="beside Gemini, and once for each run (default: openai)",
    )
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(2**31), help="default: another each time"
    )
    given = parser.parse_args()
    return max([_run_at(name, given) for name in given.provider or [OPENAI_NAME]])


def _run_at(provider: str, given: argparse.Namespace) -> int:
    print(
        f"{given.requests} requests to Gemini and {provider} over {given.transport}, {given.concurrency} at a time, "
        f"seed {given.seed}\n"
    )
    report = asyncio.run(
        run(
            requests=given.requests,
            concurrency=given.concurrency,
            share=given.share,
            transport=given.transport,
            seed=given.seed,
            provider=provider,
        )
    )
    print_report(report)
    return 1 if report.violations else 0


def print_report(report: Report) -> None:
    """Print the counts as a table, then the resources that the process held, then the violations."""
    verdicts = Counter(outcome.verdict for outcome in report.outcomes)
    seconds = sorted(outcome.seconds for outcome in report.outcomes)
    rows: list[tuple[str, object]] = [
        ("requests", len(report.outcomes)),
        (ANSWERED, verdicts.pop(ANSWERED, 0)),
    ]
    rows += [(f"error: {verdict}", count) for verdict, count in sorted(verdicts.items())]
    rows += [
        ("attempts (the proxy's count)", report.attempts),
        ("calls (the providers' count)", report.calls),
    ]
    rows += [(f"attempts: {outcome}", count) for outcome, count in report.failures.items()]
    rows += [(f"retries: {reason}", count) for reason, count in report.retries.items()]
    rows += [(f"fallbacks: {reason}", count) for reason, count in report.fallbacks.items()]
    rows += [(f"faults: {name}", count) for name, count in sorted(report.faults.items())]
    if seconds:
        rows += [
            ("seconds, all", f"{report.seconds:.1f}"),
            ("seconds of a request, median", f"{statistics.median(seconds):.3f}"),
            ("seconds of a request, 99 %", f"{seconds[int(len(seconds) * 0.99)]:.3f}"),
            ("seconds of a request, most", f"{seconds[-1]:.3f}"),
        ]
    print("| what | count |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")
    print()
    for moment, held in report.held.items():
        print(f"{moment}: {held}")
    print(f"\n{len(report.violations)} violations")
    for violation in report.violations[:20]:
        print(f"- {violation}")


if __name__ == "__main__":
    sys.exit(main())
