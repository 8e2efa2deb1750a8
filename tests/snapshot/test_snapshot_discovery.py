"""Modules found in the tree of files, and the mark on a snapshot that they divide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import discovery, document, legacy, registry, routing
from afterword.snapshot.fact import Fact
from afterword.snapshot.registry import Module, Registry


def found(*files: str, index: bytes = b"", folders: tuple[str, ...] = ()) -> list[str]:
    """What is discovered, as `name=path`."""
    known = registry.read(index, folders)
    return [
        f"{module.name}={' '.join(module.paths)}"
        for module in discovery.discover(files, known)
    ]


@pytest.mark.parametrize(
    "file",
    [
        "OrderController.java",
        "OrderService.java",
        "OrderController.ts",
        "orderHandler.ts",
        "order.controller.ts",
        "router.ts",
        "router.js",
        "handler.go",
        "controller.go",
        "views.py",
        "order_views.py",
        "api.py",
        "order_handler.py",
    ],
)
def test_a_directory_with_a_file_of_the_patterns_is_a_module_of_its_name(
    file: str,
) -> None:
    assert found(f"code/order/{file}", "code/other/notes.txt") == ["order=code/order/"]


def test_g16_a_directory_under_src_or_app_is_one_where_it_holds_an_entry_point() -> (
    None
):
    files = (
        "src/order/index.ts",
        "src/order/lines.ts",
        "app/billing/main.py",
        "src/pieces/thing.ts",
        "other/place/index.ts",
    )
    assert found(*files) == ["billing=app/billing/", "order=src/order/"]


@pytest.mark.parametrize(
    "files",
    [
        (
            "src/order/controller/OrderController.java",
            "src/order/service/OrderService.java",
        ),
        ("src/order/api/handler.py",),
        ("src/order/create/createHandler.ts", "src/order/cancel/cancelHandler.ts"),
        ("src/order/OrderController.ts", "src/order/refund/RefundController.ts"),
    ],
)
def test_several_subdirectories_of_one_module_are_their_parent(
    files: tuple[str, ...],
) -> None:
    assert found(*files, "src/payment/PaymentController.ts") == [
        "order=src/order/",
        "payment=src/payment/",
    ]


def test_packages_of_a_language_are_no_modules_but_hold_them() -> None:
    top = "src/main/java/com/acme/shop"
    assert found(
        f"{top}/order/OrderController.java", f"{top}/payment/dao/PaymentService.java"
    ) == [f"order={top}/order/", f"payment={top}/payment/"]


@pytest.mark.parametrize(
    "folder",
    "test tests __tests__ spec fixtures shared common util utils helpers node_modules"
    " vendor .hidden Test".split(),
)
def test_excluded_directories_hold_no_modules(folder: str) -> None:
    assert found(f"src/{folder}/order/OrderController.ts", f"{folder}/api.py") == []


@pytest.mark.parametrize("file", ["order_views_test.py", "test_views.py", "x.spec.ts"])
def test_a_test_makes_no_module(file: str) -> None:
    assert found(f"order/{file}") == []


def test_a_single_file_without_an_entry_point_is_no_module() -> None:
    assert found("src/order/model.ts", "src/pay/models.py", "src/pay/rates.py") == [
        "pay=src/pay/"
    ]
    assert found("src/one/__init__.py", "src/two/__init__.py", "src/two/a.py") == [
        "two=src/two/"
    ]


def test_patterns_and_exclusions_are_those_that_the_index_says() -> None:
    index = (
        b"## Auto-Discovery Config\n\n### Discovery Patterns\n\n"
        b"- **Protocol**: directories with `*.proto`, or `@Service` annotations\n"
        b"- **Go**: `*Service` files\n- **General**: directories under `lib/`\n\n"
        b"### Exclusions\n\n- `old/`, `*_gen/`, `src/dead/`: not ours\n"
    )
    files = (
        "src/order/order.proto",
        "src/pay/PaymentService.go",
        "src/java/PayService.java",
        "src/old/x.proto",
        "src/x_gen/x.proto",
        "src/dead/x.proto",
        "src/test/x.proto",
        "src/entry/index.ts",
        "lib/tools/main.rb",
    )
    assert found(*files, index=index) == [
        "tools=lib/tools/",
        "order=src/order/",
        "pay=src/pay/",
        "test=src/test/",
    ]


def test_modules_of_one_name_get_names_of_their_own() -> None:
    assert found("a/order/api.py", "b/order/api.py", "b/x/ORDER/api.py") == [
        "order=a/order/",
        "b=b/",
    ]
    assert found("a/order/api.py", "b/Order/api.py", "c/d/order/api.py") == [
        "order=a/order/",
        "b-Order=b/Order/",
        "d-order=c/d/order/",
    ]


@pytest.mark.parametrize(
    "name", ["con", "aux.x", "CLAUDE.md", "what?", "end.", "a b:c"]
)
def test_a_name_that_some_system_refuses_is_made_safe(name: str) -> None:
    (module,) = discovery.discover([f"{name}/api.py"], Registry())
    assert registry.is_name(module.name)
    assert module.name != name


def test_names_of_any_script_stay() -> None:
    assert found("src/订单/api.py", "x/Größe/api.py") == [
        "订单=src/订单/",
        "Größe=x/Größe/",
    ]


def test_what_is_registered_is_not_found_again() -> None:
    index = (
        b"## Modules\n\n| Module | Code Path |\n|---|---|\n"
        b"| buying | `src/order/**` |\n| refund | `src/refund/core/` |\n"
    )
    files = (
        "src/order/api.py",
        "src/refund/core/a.py",
        "src/refund/api.py",
        "x/api.py",
    )
    assert found(*files, index=index) == ["x=x/"]


def test_a_module_without_a_code_path_is_given_the_one_of_its_name() -> None:
    assert found("src/order/api.py", folders=("order",)) == ["order=src/order/"]


def test_g17_a_module_whose_code_is_gone_becomes_dormant_and_stays() -> None:
    known = Registry(
        modules=(
            Module(name="order", paths=("src/order/",)),
            Module(name="gone", paths=("src/gone/", "lib/gone/**")),
            Module(name="glob", paths=("src/*/deep",)),
            Module(name="removed", paths=("src/removed/",), status="removed"),
            Module(name="noted"),
        )
    )
    files = ["src/order/a.ts", "src/x/deep/a.ts"]
    gone = discovery.dormant(files, known)
    assert [(module.name, module.status) for module in gone] == [("gone", "dormant")]


def test_l012_l078_the_modules_that_entries_files_belong_to() -> None:
    fact = Fact(kind="decision", title="T", files=("src/order/a.ts",))
    modules = discovery.discover(["src/order/api.py", "src/pay/api.py"], Registry())
    assert [one.name for one in discovery.holding(modules, [fact])] == ["order"]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("- 关联文件: `src/a.ts`, src/b.ts", ("src/a.ts", "src/b.ts")),
        ("- File：src/a.ts", ("src/a.ts",)),
        ("  - **files**: `./src/a.ts:12`", ("src/a.ts",)),
        ("- Handled in `src/a.ts` and `b`.", ("src/a.ts",)),
        ("- 位置: conf/a.yaml", ("conf/a.yaml",)),
        ("- See `https://example.org/a` or src/a.ts", ()),
        ("- 关联文件: general", ()),
        ("- 关联文件: 支付相关的所有代码", ()),
    ],
)
def test_l012_adopted_text_names_the_files_by_which_it_finds_its_module(
    line: str, files: tuple[str, ...]
) -> None:
    data = f"## Key Decisions\n\n### One\n{line}\n".encode()
    (fact,) = document.facts(data)
    assert fact.files == files


def test_l012_a_row_of_an_adopted_table_names_them_too() -> None:
    data = (
        "## Config Index\n\n| 行为 | 位置 | 配置项 |\n|---|---|---|\n| A | src/a.yaml | b |\n"
    ).encode()
    (fact,) = document.facts(data)
    assert fact.files == ("src/a.yaml",)


_PART = st.sampled_from(
    ["src", "app", "a", "A", "订", "x,y", "con", "api", "b`|", "services", "CLAUDE.md"]
)


@given(st.lists(st.lists(_PART, min_size=1, max_size=5), max_size=12))
def test_what_is_found_is_safe_unique_and_known_afterwards(
    paths: list[list[str]],
) -> None:
    files = ["/".join([*parts, "api.py"]) for parts in paths]
    modules = discovery.discover(files, Registry())
    names = [module.name.casefold() for module in modules]
    assert len(set(names)) == len(names)
    assert all(registry.is_name(module.name) for module in modules)
    assert modules == discovery.discover(list(reversed(files)), Registry())
    index = registry.compose(
        None, Registry(), new=modules, date="2026-05-01", language="en"
    )
    again = registry.read(index, [])
    assert sorted(again.names) == sorted(module.name for module in modules)
    assert discovery.discover(files, again) == ()
    for module in modules:
        assert (module.name,) == routing.CodePaths(again.modules).of_file(
            module.paths[0].replace("?", "_") + "a.py"
        )


HEAD = (
    "# AI Context Snapshot\n\n> Auto-generated by /evolve. Do not edit manually.\n"
    "> Last compiled: 2026-05-01\n> Compiled increments: a\n"
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_g2_the_legacy_mark_stands_behind_the_three_lines_of_the_header(
    end: str,
) -> None:
    rest = "> History: 3 older entries in x\n\n## Key Decisions\n\n> LEGACY: no\n"
    data = (HEAD + rest).replace("\n", end).encode()
    marked = legacy.marked(data, ".ai/repo/modules/_index.md", "en")
    lines = (
        "> LEGACY: Superseded by modular knowledge base. See .ai/repo/modules/_index.md\n"
        "> This file keeps what belongs to no module.\n"
    )
    assert marked == (HEAD + lines + rest).replace("\n", end).encode()
    assert legacy.marked(marked, "elsewhere", "en") == marked


@pytest.mark.parametrize("data", [b"", b"# Title", b"text", b"> quote\n", b"\xff\xfe"])
def test_g2_any_file_takes_the_mark(data: bytes) -> None:
    marked = legacy.marked(data, "i", "zh")
    assert legacy.MARK.encode() in marked
    assert legacy.marked(marked, "i", "zh") == marked
