"""Routing: which targets a fact belongs to, by domain, folder and files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import registry, routing
from afterword.snapshot.fact import Fact
from afterword.snapshot.registry import Module, Registry

SHOP = Registry(
    modules=(
        Module(name="order", paths=("src/order/",)),
        Module(name="refund", paths=("src/order/refund/",)),
        Module(name="payment", paths=("src/payment/**", "lib/pay")),
    )
)


def made(
    files: tuple[str, ...] = (),
    domains: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
    stem: str = "2026-05-01_a",
) -> Fact:
    sources = ((stem, "0123456789ab"),) if stem else ()
    return Fact(
        kind="decision",
        title="A decision",
        files=files,
        domains=domains,
        folders=folders,
        sources=sources,
    )


def routed(fact: Fact, known: Registry = SHOP) -> tuple[str, ...]:
    return routing.router(known, [])(fact)


def test_l022_a_known_domain_is_the_target_whatever_the_files_say() -> None:
    assert routed(made(domains=("order",), files=("src/payment/a.ts",))) == ("order",)


@pytest.mark.parametrize(
    ("file", "target"),
    [
        ("src/order/a.ts", "order"),
        ("src/order/deep/er/a.ts", "order"),
        ("./src/order/a.ts", "order"),
        ("`src/order/a.ts`", "order"),
        ("src/order/a.ts:12", "order"),
        ("src\\order\\a.ts", "order"),
        ("src/order/", "order"),
        ("src/order/refund/a.ts", "refund"),
        ("src/payment/a/b.ts", "payment"),
        ("lib/pay/x.go", "payment"),
        ("src/order/our plan.md", "order"),
    ],
)
def test_l023_a_file_in_a_code_path_gives_its_module(file: str, target: str) -> None:
    assert routed(made(files=(file,))) == (target,)


@pytest.mark.parametrize(
    "file",
    [
        "src/order-archive/x.ts",
        "src/orders.ts",
        "lib/payroll/x.go",
        "src/",
        "src",
        "other/src/order/a.ts",
        "general",
        "General",
        "",
        "src/order/ holds what customers bought",
        "src/order/a.ts, and the handling of returns.",
        "src/order/ 的超时处理。",
    ],
)
def test_l024_what_is_in_no_code_path_or_no_path_goes_to_the_snapshot(
    file: str,
) -> None:
    assert routed(made(files=(file,))) == ("",)


def test_l025_an_unknown_domain_warns_and_goes_to_the_snapshot_not_by_its_files() -> (
    None
):
    warnings: list[str] = []
    route = routing.router(SHOP, warnings)
    fact = made(domains=("nope",), files=("src/order/a.ts",))
    assert [route(fact), route(fact)] == [("",), ("",)]
    assert warnings == [
        "2026-05-01_a: domain nope is no module: its entries go to the snapshot"
    ]


def test_g6_an_explicit_domain_beats_the_folder_and_warns() -> None:
    warnings: list[str] = []
    route = routing.router(SHOP, warnings)
    assert route(made(domains=("payment",), folders=("order",))) == ("payment",)
    assert warnings == [
        "2026-05-01_a: lies in the module order, but its domain is payment"
    ]


@pytest.mark.parametrize("domain", ["", " ", "``"])
def test_g7_an_empty_domain_is_none_so_the_folder_counts(domain: str) -> None:
    fact = made(domains=(domain,), folders=("order",), files=("src/payment/a.ts",))
    assert routed(fact) == ("order",)


def test_g5_the_longest_code_path_counts_for_each_file_and_all_modules_are_given() -> (
    None
):
    files = ("src/order/refund/a.ts", "src/payment/b.ts")
    assert routed(made(files=files)) == ("payment", "refund")


@pytest.mark.parametrize(
    ("code_path", "file", "is_in"),
    [
        ("src/order", "src/order/a.ts", True),
        ("src/order/a.ts", "src/order/a.ts", True),
        ("src/order/a.ts", "src/order/a.tsx", False),
        ("src/*/api", "src/order/api/x.ts", True),
        ("src/*/api", "src/order/deep/api/x.ts", False),
        ("src/**/api/", "src/order/deep/api/x.ts", True),
        ("src/**/api/", "src/api/x.ts", True),
        ("**/*Order*.java", "a/b/MyOrderList.java", True),
        ("**/*Order*.java", "a/b/MyList.java", False),
        ("src/order/**", "src/order/a/b.ts", True),
        ("src/order/**", "src/order-archive/b.ts", False),
        ("src/order/*", "src/order/a.ts", True),
        ("src/order*/", "src/order-archive/b.ts", True),
        ("src/order/*.ts", "src/order/a.ts", True),
        ("src/order/*.ts", "src/order/a.py", False),
        ("src/v?/", "src/v2/a.py", True),
        ("src/[ab]/", "src/b/a.py", True),
        ("app/[id]/", "app/[id]/page.tsx", True),
        ("**", "anything", True),
        ("src/order/", "src/Order/a.ts", False),
    ],
)
def test_code_paths_are_directories_files_and_globs(
    code_path: str, file: str, is_in: bool
) -> None:
    code = routing.CodePaths([Module(name="m", paths=(code_path,))])
    assert code.of_file(file) == (("m",) if is_in else ())


def test_of_nested_code_paths_the_longest_wins_however_it_is_written() -> None:
    code = routing.CodePaths(
        [
            Module(name="all", paths=("**",)),
            Module(name="src", paths=("src/**",)),
            Module(name="order", paths=("src/order",)),
            Module(name="twin", paths=("src/order/**",)),
            Module(name="pay", paths=("src/order/pay/*.ts",)),
        ]
    )
    assert code.of_file("readme.md") == ("all",)
    assert code.of_file("src/a.ts") == ("src",)
    assert code.of_file("src/order/a.ts") == ("order", "twin")
    assert code.of_file("src/order/pay/a.ts") == ("pay",)


def test_a_hostile_glob_costs_no_more_than_another() -> None:
    stars = "a*" * 40 + "/" + "**/" * 40 + "z"
    code = routing.CodePaths([Module(name="m", paths=(stars,))])
    assert code.of_file("a" * 200 + "/b" * 200) == ()


def adopted(folder: str, *files: str) -> Fact:
    return made(files=files, folders=(folder,), stem="")


def test_adopted_text_stays_where_it_was_read() -> None:
    assert routed(adopted("", "src/order/a.ts")) == ("",)
    assert routed(adopted("order", "src/payment/a.ts")) == ("order",)


def test_l012_a_partition_takes_adopted_text_into_the_new_modules_only() -> None:
    route = routing.router(SHOP, [], partition=frozenset({"order"}))
    assert route(adopted("", "src/order/a.ts")) == ("order",)
    assert route(adopted("", "src/payment/a.ts")) == ("",)
    both = ("order", "payment")
    assert route(adopted("", "src/order/a.ts", "src/payment/a.ts")) == both
    assert route(adopted("")) == ("",)
    assert route(adopted("payment", "src/order/a.ts")) == ("payment",)


def test_adopted_text_that_another_clone_parted_leaves_the_snapshot_here_too() -> None:
    both = made(folders=("", "order"), files=("src/order/a.ts",), stem="")
    assert routed(both) == ("order",)
    no_path = made(folders=("", "order"), stem="")
    assert routed(no_path) == ("", "order")


_TEXT = st.sampled_from(
    [
        "",
        "order",
        "nope",
        "src/order/a.ts",
        "src/payment/b",
        "general",
        "a b",
        "`x`",
        "/",
    ]
)


@given(
    st.lists(_TEXT, max_size=3),
    st.lists(_TEXT, max_size=2),
    st.lists(st.sampled_from(["", "order", "payment"]), max_size=2),
)
def test_every_fact_has_targets_that_there_are_and_that_no_order_changes(
    files: list[str], domains: list[str], folders: list[str]
) -> None:
    one = made(tuple(files), tuple(domains), tuple(folders))
    other = made(tuple(files[::-1]), tuple(domains[::-1]), tuple(folders[::-1]))
    targets = routed(one)
    assert targets
    assert set(targets) <= SHOP.names | {""}
    assert list(targets) == sorted(targets) == list(routed(other))


def test_registry_read_gives_what_the_router_needs() -> None:
    table = b"## Modules\n\n| Module | Code Path |\n|--|--|\n| order | `src/order/` |\n"
    known = registry.read(table, ["stray"])
    assert [module.name for module in known.modules] == ["order", "stray"]
    assert routed(made(files=("src/order/a",)), known) == ("order",)
    assert routed(made(folders=("stray",)), known) == ("stray",)
