"""Which way a sentence points: opposites, obligation and prohibition, negation.

English and Chinese (spec/snapshot.md 10.5). Data and the reading of one text; imports
nothing of the package.
"""

from __future__ import annotations

import re

# One axis a line: its two poles, with every word for each.
_AXES = [
    axis.split("|")
    for axis in """
sync synchronous synchronously 同步|async asynchronous asynchronously 异步
enabled enable enables on 启用 开启 打开|disabled disable disables off 禁用 关闭 停用
required require requires mandatory compulsory 必填 必选 强制|optional optionally 可选 选填 非必填
true|false
public 公开 公有|private 私有 不公开
mutable 可变|immutable 不可变
nullable 可为空 可空|non-nullable nonnullable 不可为空 非空
stateful 有状态|stateless 无状态
encrypted encrypt encrypts 加密|plaintext unencrypted cleartext 明文
blocking 阻塞|nonblocking non-blocking 非阻塞
optimistic 乐观锁 乐观|pessimistic 悲观锁 悲观
ascending asc 升序 正序|descending desc 降序 倒序
strict strictly 严格|lenient leniently loose 宽松
internal internally 内部 内网|external externally 外部 外网 公网
hard-delete 物理删除 硬删除|soft-delete 软删除 逻辑删除
push 推送 推模式|pull 拉取 拉模式
eager eagerly 预加载 饿汉|lazy lazily 懒加载 延迟加载 懒汉
manual manually 手动 人工|automatic automatically auto 自动
centralized central 集中式 集中|distributed decentralized 分布式 分散
serial serially sequential sequentially 串行 顺序执行|parallel concurrently 并行
horizontal 水平|vertical 垂直
persistent persisted 持久化|ephemeral transient in-memory 临时
idempotent 幂等|non-idempotent 非幂等
allowlist whitelist 白名单|denylist blocklist blacklist 黑名单
monolith monolithic 单体|microservice microservices 微服务
unlimited 不限制 不限 无限制|limited 有限 受限
signed 有符号 已签名|unsigned 无符号 未签名
singular 单数|plural 复数
before 之前|after 之后
client-side clientside 客户端|server-side serverside 服务端 服务器端
""".strip().split("\n")
]
_POLES: dict[str, tuple[int, int]] = {
    word: (at, 1 if pole == 0 else -1)
    for at, axis in enumerate(_AXES)
    for pole, words in enumerate(axis)
    for word in words.split()
}
POLAR_WORDS = frozenset(w for w in _POLES if w.isascii())
POLAR_HAN = sorted((w for w in _POLES if not w.isascii()), key=len, reverse=True)
_WORDS = re.compile(
    rf"(?<![a-z-])(?:{'|'.join(sorted((re.escape(w) for w in POLAR_WORDS), key=len, reverse=True))})(?![a-z-])|{'|'.join(POLAR_HAN)}"
)
_FORBIDS = re.compile(
    r"\b(?:must|shall|should|may|can|do|does|will)\s?(?:not|never)\b|\b(?:cannot|never|mustn't|can't|don't|doesn't|shouldn't|won't|forbidden|prohibited|disallowed|banned|forbid|forbids|avoid)\b"
    r"|\bnot\s+(?:allowed|permitted|to\s+be)\b|\bno\s+longer\b|禁止|严禁|不能|不得|不可以|不允许|不许|不准|不应|不要|切勿|勿"
)
_DEMANDS = re.compile(
    r"\b(?:must|shall|should|always|allowed|permitted|may|can|need to|needs to|has to|have to|ought to)\b|必须|务必|应该|应当|允许|可以|一定要|须|总是|始终"
)
_NOT = re.compile(
    r"\b(?:not|no|never|without|none|isn't|aren't|doesn't|don't|won't|can't|cannot|neither|nor|no longer)\b|不|没有|无需|无须|无|未|非"
)


def poles(text: str) -> dict[int, int]:
    """The axes on which a lower-case text stands on one side only, with the side."""
    found: dict[int, int] = {}
    for match in _WORDS.finditer(text):
        axis, side = _POLES[match.group()]
        if _is_negated(text, match.start()):
            side = -side
        found[axis] = side if found.get(axis, side) == side else 0
    return {axis: side for axis, side in found.items() if side}


def _is_negated(text: str, at: int) -> bool:
    return bool(_NEGATED.search(text[max(0, at - 16) : at]))


_NEGATED = re.compile(
    r"\b(?:not|never|no longer|isn't|aren't|don't|doesn't|cannot|can't)\s+(?:be\s+|an?\s+)?$|(?:不|不是|不再|非|未|没有|禁止|不能|不得|不允许)$"
)


def modality(text: str) -> int:
    """-1 for what a text forbids, 1 for what it demands or allows, 0 for neither."""
    if _FORBIDS.search(text):
        return -1
    return 1 if _DEMANDS.search(text) else 0


def negations(text: str) -> int:
    """How many negations a text holds."""
    return len(_NOT.findall(text))
