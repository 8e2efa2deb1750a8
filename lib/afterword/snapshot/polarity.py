"""Which way a sentence points: opposites, obligation and prohibition, negation.

English and Chinese (spec/snapshot.md 10.5). Data and the reading of one lower-case text
in NFKC form; imports nothing of the package.
"""

from __future__ import annotations

import re

# One axis a line: the words of its two poles.
_AXES = """
sync synchronous synchronously 同步|async asynchronous asynchronously 异步
enabled enable enables on 启用 开启 打开|disabled disable disables off 禁用 关闭 停用
required mandatory compulsory 必填 必选|optional optionally 可选 选填 非必填
true|false
mutable 可变|immutable 不可变
nullable 可为空 可空|non-nullable 不可为空 非空
stateful 有状态|stateless 无状态
encrypted 加密|plaintext unencrypted cleartext 明文
blocking 阻塞|nonblocking non-blocking 非阻塞
optimistic optimistically 乐观锁 乐观|pessimistic pessimistically 悲观锁 悲观
ascending asc 升序 正序|descending desc 降序 倒序
strict strictly|lenient leniently loose loosely
hard-delete hard-deleted 物理删除 硬删除|soft-delete soft-deleted 软删除 逻辑删除
eager eagerly 预加载|lazy lazily 懒加载 延迟加载
serial serially sequential sequentially 串行|parallel concurrently 并行
persistent persisted 持久化|ephemeral transient
idempotent 幂等|non-idempotent 非幂等
case-sensitive 区分大小写|case-insensitive 不区分大小写
unlimited 不限制 不限 无限制|limited 有限 受限
# Words that more often tell two things apart than what holds of one: in Chinese they
# count behind a lead only.
public publicly 公开 公有|private privately 私有 不公开
internal internally 内部 内网|external externally 外部 外网 公网
push pushed 推送 推模式|pull pulled 拉取 拉模式
manual manually 手动 人工|automatic automatically 自动
centralized centralised 集中式|distributed decentralized decentralised 分布式
allowlist whitelist 白名单|denylist blocklist blacklist 黑名单
monolith monolithic 单体|microservice microservices 微服务
signed 有符号 已签名|unsigned 无符号 未签名
singular 单数|plural 复数
client-side 客户端|server-side 服务端 服务器端
"""
_LOOSE = frozenset(_AXES.partition("#")[2].replace("|", " ").split())
_LINES = [line.split("|") for line in _AXES.strip().split("\n") if "|" in line]
_POLES: dict[str, tuple[int, int]] = {
    word: (at, 1 - 2 * pole)
    for at, axis in enumerate(_LINES)
    for pole, words in enumerate(axis)
    for word in words.split()
}
_HAN = [word for word in _POLES if not word.isascii()]
_LOOSE_HAN = _LOOSE.intersection(_HAN)
_WORD = re.compile(
    "[a-z]+(?:-[a-z]+)*|" + "|".join(sorted(_HAN, key=len, reverse=True))
)
_VERBS = frozenset("enable enables disable disables async sync".split())
# What makes the word behind it say something of the subject.
_LEAD = re.compile(
    r"[:=]|\b(?:is|are|be|been|being|was|becomes?|uses?|used|using|with|as|by|via|to|stays?|remains?|not)\b"
)
_HAN_LEAD = re.compile(r"(?:为|是|采用|使用|选用|改用|用|走|:)[^!-~]{0,4}$")
_END = re.compile(r"\s*(?:$|[,.;:()]|\b(?:for|in|at|on|when|if|by|during|unless)\b)")
_SWITCH = re.compile(
    r"(?:[:=]|\b(?:is|are|turned|switched|stays?|to|default|be|defaults))\s*$"
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|no longer|\w+n't|cannot)\s+(?:be\s+|an?\s+)?"
    r"|(?:不|不是|不再|并非|非|未|没有|禁止|不能|不得|不允许))$"
)
# A negation in front of a comparison belongs to the quantity: "must not exceed".
_UNLESS_COMPARED = (
    r"(?!\s+(?:\w+\s+)?(?:exceed|more|less|fewer|longer|shorter|larger|smaller|greater"
    r"|higher|lower|later|under|below|above|over)\b)"
)
_UNLESS_MORE = r"(?!(?:[得能可会]?(?:超过|少于|低于|大于|小于|高于|多于|长于|短于))|同)"
_FORBIDS = re.compile(
    r"\b(?:(?:must|shall|should|may|can|do|does|will)\s?(?:not|never)|cannot|never|\w+n't|no longer)\b"
    + _UNLESS_COMPARED
    + r"|\b(?:forbidden|prohibited|disallowed|banned|forbid|forbids|avoid)\b"
    r"|\bnot\s+(?:allowed|permitted)\b"
    r"|(?:禁止|严禁|不能|不得|不可以|不允许|不许|不准|不应|不要|切勿)" + _UNLESS_MORE
)
_DEMANDS = re.compile(
    r"\b(?:must|shall|should|always|allowed|permitted|may|can|ought to|(?:need|has|have)s? to)\b"
    r"|必须|务必|应该|应当|允许|可以|一定要|总是|始终"
)
_NOT = re.compile(
    r"\b(?:cannot|never|without|neither|nor|none|no longer|\w+n't|no|not)\b"
    + _UNLESS_COMPARED
    + r"|(?:禁止|严禁|不能|不得|不可以|不允许|不许|不准|不应|不要|不再|不会|切勿|没有|无需|无须|并非|不|未|非)"
    + _UNLESS_MORE
)
NEAR = 16  # characters in front of a word that may turn it round

TYPE_CHECKING = False
if TYPE_CHECKING:
    Pole = tuple[int, int, int, int]  # start, end, axis, side: 1 or -1


def found(text: str) -> list[Pole]:
    """Where a text takes a side: opposites that say something of its subject.

    "Public endpoints" are told apart from private ones, "the API is public" takes a
    side. A negation in front turns it round.
    """
    poles = []
    for match in _WORD.finditer(text):
        known = _POLES.get(match.group())
        if known and _is_said(text, match):
            axis, side = known
            before = text[max(0, match.start() - NEAR) : match.start()]
            side = -side if _NEGATED.search(before) else side
            poles.append((*match.span(), axis, side))
    return poles


def sides(text: str) -> dict[int, int]:
    """The axes on which a text stands on one side only, and on which: 1 or -1."""
    taken: dict[int, int] = {}
    for _, _, axis, side in found(text):
        taken[axis] = side if taken.get(axis, side) == side else 0
    return {axis: side for axis, side in taken.items() if side}


def _is_said(text: str, match: re.Match[str]) -> bool:
    word, before = match.group(), text[: match.start()]
    if word in ("on", "off"):
        return bool(_SWITCH.search(before[-NEAR:]))
    if not word.isascii():
        return word not in _LOOSE_HAN or bool(_HAN_LEAD.search(before[-NEAR:]))
    if word.endswith("ly") or word in _VERBS or _LEAD.search(before):
        return True
    return bool(before.strip()) and bool(_END.match(text, match.end()))


def modality(text: str) -> int:
    """-1 for what a text forbids, 1 for what it demands or allows, 0 for neither."""
    if _FORBIDS.search(text):
        return -1
    return 1 if _DEMANDS.search(text) else 0


def is_negative(text: str) -> bool:
    """Whether a text denies: it holds an odd number of negations."""
    return len(_NOT.findall(text)) % 2 == 1
