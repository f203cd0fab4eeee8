"""Tests of a bounded map that evicts entries of the tenant with the most entries."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.tenant_lru import TenantLru


def test_least_recently_used_entry_of_a_single_tenant_is_evicted() -> None:
    """A single tenant's least recently used entry is evicted. ``use`` makes an entry recent, and ``find`` does not."""
    lru: TenantLru[str, int] = TenantLru(2)
    assert lru.put("", "a", 1) is None
    assert lru.put("", "b", 2) is None
    assert lru.use("", "a") == 1
    assert lru.find("", "b") == 2
    assert lru.put("", "c", 3) == ("", "b", 2)
    assert [(one.key, one.value) for one in lru.entries()] == [("a", 1), ("c", 3)]
    assert lru.oldest("") == ("a", 1)


def test_the_tenant_that_holds_most_loses_an_entry() -> None:
    """The tenant with the most entries loses one, and a tenant with one entry keeps it."""
    lru: TenantLru[int, None] = TenantLru(10)
    lru.put("b", 0, None)
    for number in range(100):
        lru.put("a", number, None)
    lru.put("c", 0, None)

    assert Counter(one.tenant for one in lru.entries()) == {"a": 8, "b": 1, "c": 1}
    assert lru.oldest("a") == (92, None)


@given(
    st.lists(
        st.tuples(st.sampled_from(["put", "use", "remove"]), st.sampled_from("abc"), st.integers(0, 9)),
        max_size=80,
    )
)
def test_map_is_bounded_and_evicts_from_the_largest_tenant(steps: list[tuple[str, str, int]]) -> None:
    """For any steps, the map is bounded and evicts from the largest tenant."""
    lru: TenantLru[int, str] = TenantLru(6)
    for what, tenant, key in steps:
        if what == "put":
            gone = lru.put(tenant, key, tenant)
            if gone is not None:
                held = Counter(one.tenant for one in lru.entries())
                assert held[gone.tenant] + 1 == max((held + Counter([gone.tenant])).values())
        elif what == "use":
            assert lru.use(tenant, key) in (None, tenant)
        elif lru.find(tenant, key) is not None:
            lru.remove(tenant, key)
        assert len(lru) == len(list(lru.entries())) <= 6
