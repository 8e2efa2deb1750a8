"""What an entry is about: the words of its title, each with its place in the sentence.

Latin words without stop words and endings, Chinese bigrams; quantities, negations and
the sides of opposites are what an entry says about its topic, and no part of it
(spec/snapshot.md 10.5). Pure; imports `fact`, `values`, `polarity`, `units`, `topic_index`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from afterword.snapshot import numerals, polarity, quantity, units, values
from afterword.snapshot.fact import Fact
from afterword.snapshot.topic_index import Index, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    Word = tuple[str, str]  # a token, and its place

__all__ = ["CHOICE", "PLACE", "SCOPE", "SUBJECT", "Index", "similarity", "tokens"]

# Where a word stands: in what the title is about; behind `uses`, `is`, `with` (what it
# chooses); behind `in`, `on` (either a choice or where it holds); behind `for`, `when`.
SUBJECT, CHOICE, PLACE, SCOPE = "subject", "choice", "place", "scope"
REMEMBERED = 16_384  # titles, some 500 bytes each
TITLE_MOST = 500  # characters: the rest of a longer title is no title
_LEADS = {
    CHOICE: """use uses used using with via by to as over through into is are be being become becomes
        speak speaks return returns write writes read reads publish publishes emit emits send sends
        build builds produce produces render renders store stores consume consumes expose exposes
        support supports adopt adopts prefer prefers choose chooses switch
        使用 采用 选用 改用 基于 通过 统一为 统一 默认为 默认 改为 改成 设为 设成 设置为 变更为 切换为
        存储在 存储到 存储于 存放在 存放到 保存在 写入 用 为 是""",
    PLACE: "in on at inside 在 于",
    SCOPE: """for when if during unless except while per under only outside without after before
        如果 对于 针对 仅""",
}
_LEAD_OF = {word: place for place, all_ in _LEADS.items() for word in all_.split()}
# Leads that are also words of the topic.
_TELLING = frozenset(
    "speak speaks return returns write writes read reads publish publishes emit emits send sends build"
    " builds produce produces render renders store stores consume consumes expose exposes support"
    " supports 写入".split()
)
_STOP = frozenset(
    """a an and are as at be been being but by can could did do does for from had has have if in into
    is it its may might must need needs never no nor not of off on only or our ought per shall
    should so than that the their them then there these they this those to was we were when which
    while will with without would you your via vs about also any each every over through
    use uses used using set sets get gets make makes made let lets now always instead rather
    most least more up down out under below above between exceed exceeds max maximum min minimum inside outside
    change changes changed changing raise raised raises lower lowered lowers increase increased
    increases decrease decreased reduce reduced adjust adjusted update updated switch switched
    adopt adopted adopts prefer preferred prefers choose chosen chooses keep keeps kept
    default defaults value values become becomes during unless except
    cannot dont doesnt isnt arent wont cant shouldnt mustnt new old allowed allow allows
    shorten shortens shortened extend extends extended bump bumps bumped double doubled halve halved
    configure configures configured apply applies applied enforce enforces enforced
    live lives lived last lasts stay stays remain remains go goes fall falls drop drops""".split()
)
# Runs of Chinese are cut at these, the longer first.
_HAN_STOP = """改为 改成 改用 设为 设成 设置为 调整为 调整到 调整 调到 调为 变更为 切换为 变更 更新为 升级为 提高到 提高 降低到
    降低 增加到 增加 减少到 减少 统一为 统一 默认为 默认值 默认 必须 应该 应当 需要 不能 不得 不可 不许 不要 不允许 禁止 严禁
    不再 不会 没有 可以 允许 不超过 不能超过 不得超过 不低于 不少于 超过 最多 最少 至多 至少 最大 最小 最长 上限 下限 使用 采用
    时间 时长 方式 选用 通过 基于 以及 或者 如果 因为 由于 所以 对于 针对 时候 进行 并非 存储在 存储到 存储于 存放在 存放到 保存在 写入
    为 是 的 了 在 把 将 被 与 和 及 或 从 到 由 都 也 均 不 并""".split()
_IRREGULAR = {
    "written": "write",
    "wrote": "write",
    "sent": "send",
    "built": "build",
    "ran": "run",
    "read": "read",
    "held": "hold",
    "retri": "retry",
}
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")
# A single sign is cut only where it is no part of common words: 用 before Latin text.
_CUT = re.compile(f"({'|'.join(sorted(_HAN_STOP, key=len, reverse=True))}|用$)")
_CUTS = frozenset([*_HAN_STOP, "用"])
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[^\W_a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?!\d)|\d{4}年\d{1,2}月(?:\d{1,2}日)?"
)
_DOTTED = re.compile(r"\bv?(\d+(?:\.\d+)+)", re.IGNORECASE)
_PRODUCT = re.compile(
    rf"\b({'|'.join(sorted(units.PRODUCTS, key=len, reverse=True))})[ -]?(\d+)\b",
    re.IGNORECASE,
)
_NTH = re.compile(r"第\s*(\d+|[一二三四五六七八九十百]+)")
_WHY = re.compile(
    r"\b(?:because|since|due to|so that|in order to)\b|因为|由于|以便", re.IGNORECASE
)
_ARROW = re.compile(r"-{1,2}>|→|=>|⇒|➜")
_DIGIT = re.compile(r"\d")
_COLON = re.compile(r"[:：]")


def tokens(fact: Fact) -> frozenset[str]:
    """The topic of a fact: the tokens of its title, else of its key."""
    return frozenset(token for token, _ in words_of(fact))


def of_text(text: str) -> frozenset[str]:
    """The topic tokens of a text."""
    return frozenset(token for token, _ in _read(text))


def words_of(fact: Fact) -> tuple[Word, ...]:
    """The words of a fact's title, else of its key, in order."""
    return _read(fact.title) or _read(fact.key)


@lru_cache(REMEMBERED)
def _read(text: str) -> tuple[Word, ...]:
    """Fold and judge ask for the same titles, each several times."""
    return tuple(_words(text))


def forget() -> None:
    """Empties the memory of titles, for measurements."""
    _read.cache_clear()


def chain(text: str) -> tuple[str, ...]:
    """The nodes of a text that arrows join, if at least three; a label does not count."""
    nodes = _ARROW.split(text)
    if len(nodes) < 3:
        return ()
    nodes[0] = _COLON.split(nodes[0])[-1]
    return tuple(
        " ".join(node.lower().split()).strip(" -*`.。;；,，") for node in nodes
    )


def is_label(token: str) -> bool:
    """Whether a token is a number that names: two of them are two topics."""
    return token[0].isdigit()


def _words(title: str) -> Iterator[Word]:
    place, was_latin = SUBJECT, False
    for word in _WORD.findall(_about(values.plain(title[:TITLE_MOST]))):
        is_latin = word[0].isascii()
        if is_latin:
            if word not in _STOP or word in _TELLING:
                yield stem(word), place
            if was_latin or word not in _TELLING:
                place = _LEAD_OF.get(word, place)
        else:
            # "使用 Redis 存储会话": what is chosen ends with its name
            place = SUBJECT if was_latin and place == CHOICE else place
            for part in _CUT.split(word):
                place = _LEAD_OF.get(part, place)
                if part not in _CUTS or part in _TELLING:
                    yield from ((token, place) for token in _bigrams(part))
        was_latin = is_latin


def _about(text: str) -> str:
    """A title in small letters without reasons, chains, dates, quantities and poles."""
    if why := _WHY.search(text, 1):
        text = text[: why.start()]
    if text.count(">") + text.count("→") + text.count("⇒") > 1 and chain(text):
        head = _ARROW.split(text, maxsplit=1)[0]
        text = _COLON.split(head)[0]
    numbers = quantity.scan(text)
    if numbers:
        text = _without(text, [(one.start, one.end) for one in numbers])
    if _DIGIT.search(text):
        text = _PRODUCT.sub(r"\1 v\2", _DATE.sub(" ", text))
        text = _DOTTED.sub(lambda match: "v" + match[1].replace(".", "p"), text)
    text = _HUMP.sub(" ", _NTH.sub(_nth, text) if "第" in text else text).lower()
    poles = polarity.found(text)
    return _without(text, [pole[:2] for pole in poles]) if poles else text


def _nth(match: re.Match[str]) -> str:
    return f" {numerals.number(match[1]) // numerals.SCALE} "


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = max(at, end)
    return " ".join([*parts, text[at:]])


def _bigrams(part: str) -> Iterator[str]:
    if len(part) == 1:
        yield part
    for at in range(len(part) - 1):
        yield part[at : at + 2]


def stem(word: str) -> str:
    """A word without its ending, so that `retries`, `retried` and `retry` are one."""
    word = word.replace("’", "'").partition("'")[0]
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS:
        left = len(word) - len(ending)
        if word.endswith(ending) and left >= 3 + (ending == "ing"):
            if ending == "s" and word[left - 1] in "sui":
                return word
            word = word[:left] + ("y" if ending in ("ied", "ies") else "")
            break
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word
