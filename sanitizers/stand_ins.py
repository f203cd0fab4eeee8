"""The texts that Google documents in place of a lost thought signature."""

from __future__ import annotations

STAND_IN = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""The text that the proxy sends for a lost signature: ``skip_thought_signature_validator`` in base64."""

STAND_INS = frozenset(
    {
        STAND_IN,
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
        "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
    }
)
"""The texts that Google documents in place of a lost signature, raw and in base64 (thought-signatures FAQ)."""
