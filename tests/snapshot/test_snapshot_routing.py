"""Routing: which targets a fact belongs to, by domain, folder and files."""

from __future__ import annotations

import pytest

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


def test_registry_read_gives_what_the_router_needs() -> None:
    table = b"## Modules\n\n| Module | Code Path |\n|--|--|\n| order | `src/order/` |\n"
    known = registry.read(table, ["stray"])
    assert [module.name for module in known.modules] == ["order", "stray"]
    assert routed(made(files=("src/order/a",)), known) == ("order",)
    assert routed(made(folders=("stray",)), known) == ("stray",)
