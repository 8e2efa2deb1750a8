"""The units, count nouns and attributes that quantities of entries are written with.

English and Chinese (spec/snapshot.md 10.5). Factors are whole numbers of the smallest
unit of their dimension: ns, bits, ten-thousandths, calls a week, minutes of the day. Data
only, for `unit_text`, `surroundings`, `quantity`; imports nothing of the package.
"""

# What a number may measure. A count's noun follows the colon; "" is a bare number.
TIME, SIZE, RATIO, COUNT, RATE, MONEY, CLOCK, PORT = (
    "time",
    "size",
    "ratio",
    "count",
    "rate",
    "money",
    "clock",
    "port",
)
SIZE_RATE = RATE + ":" + SIZE
TIMES_COUNT = COUNT + ":times"
WHOLE = 10_000  # one of what is counted, in ten-thousandths

_MS = 10**6
_DAY = 86_400_000 * _MS
# A month is 30 days and twelve of them are a year of 365 (`quantity` sees to it), so that
# 30 days, 1 month; 365 days, 1 year; 12 months, 1 year are each the same.
MONTH, YEAR = 30 * _DAY, 365 * _DAY
_TIMES: "dict[int, str]" = {
    1: "ns nanosecond nanoseconds 纳秒",
    1000: "us μs microsecond microseconds 微秒",
    _MS: "ms msec msecs millis millisecond milliseconds 毫秒",
    1000 * _MS: "s sec secs second seconds 秒 秒钟",
    60_000 * _MS: "m min mins minute minutes 分钟 分",
    3_600_000 * _MS: "h hr hrs hour hours 小时 个小时 钟头",
    _DAY: "d day days 天 日 天内",
    7 * _DAY: "week weeks wk wks 周 星期 个星期 个礼拜",
    MONTH: "month months 个月",
    YEAR: "year years yr yrs 年",
}
# A size without "i" counts 1024, as settings do: 1 GB = 1024 MB = 1 GiB. Bits count 1000.
_SIZES: "dict[int, str]" = {
    1: "bit bits 比特 位元",
    8: "byte bytes b 字节",
    8 * 2**10: "kb kib kilobyte kilobytes kibibytes 千字节",
    8 * 2**20: "mb mib megabyte megabytes mebibytes 兆 兆字节",
    8 * 2**30: "gb gib gigabyte gigabytes gibibytes",
    8 * 2**40: "tb tib terabyte terabytes tebibytes",
    8 * 2**50: "pb pib petabyte petabytes",
    1000: "kbit kbits",
    10**6: "mbit mbits",
    10**9: "gbit gbits",
}
_WEEK_OF = {"second": 604_800, "minute": 10_080, "hour": 168, "day": 7, "week": 1}
_RATES: "dict[int, str]" = {
    _WEEK_OF["second"]: "qps rps tps ops iops",
    _WEEK_OF["minute"]: "rpm qpm",
}
_BIT_RATES: "dict[int, str]" = {
    1000: "kbps",
    10**6: "mbps",
    10**9: "gbps",
}
_RATIOS: "dict[int, str]" = {100: "% ％ percent pct", 10: "‰ permille"}
_MONEYS = {
    "usd": "usd dollar dollars 美元",
    "cny": "cny rmb yuan 元 块 人民币",
    "eur": "eur euro euros 欧元",
    "gbp": "gbp pound pounds 英镑",
    "jpy": "jpy yen 日元",
}
SIGNS = {"$": "usd", "¥": "cny", "￥": "cny", "€": "eur", "£": "gbp"}


def _spread(
    table: "dict[int, str]", dimension: str, times: int = 1
) -> "dict[str, Unit]":
    """Each word of a table, as NFKC has it, to its dimension and factor."""
    return {
        word: (dimension, factor * times)
        for factor, words in table.items()
        for word in words.split()
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    Unit = tuple[str, int]

# A word, case-folded, to its dimension and factor.
UNITS: "dict[str, Unit]" = {
    **_spread(_TIMES, TIME),
    **_spread(_SIZES, SIZE),
    **_spread(_RATES, RATE, WHOLE),
    **_spread(_BIT_RATES, SIZE_RATE, _WEEK_OF["second"]),
    **_spread(_RATIOS, RATIO),
    **{
        word: (MONEY + ":" + code, WHOLE)
        for code, words in _MONEYS.items()
        for word in words.split()
    },
}
# One letter that is no unit when it stands apart ("5 m", "3 d"), and those whose case tells.
ADJACENT = frozenset("m d b".split())
BY_CASE: "dict[str, Unit]" = {
    "Kb": (SIZE, 1000),
    "Mb": (SIZE, 10**6),
    "Gb": (SIZE, 10**9),
    "M": (SIZE, 8 * 2**20),
    "G": (SIZE, 8 * 2**30),
    "T": (SIZE, 8 * 2**40),
}
# What a rate is per, as it is written behind the number's unit.
PER = {
    word: _WEEK_OF[name]
    for name, words in {
        "second": "s sec second 秒 秒钟",
        "minute": "m min minute 分 分钟",
        "hour": "h hr hour 小时",
        "day": "d day 天 日",
        "week": "week 周 星期",
    }.items()
    for word in words.split()
}
MULTIPLIERS = {
    "k": 1000,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "千": 1000,
    "万": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
}
# Words that say how often without a number.
_HOUR = _DAY // 24
EVERY: "dict[str, int]" = {
    word: factor
    for factor, words in {
        1000 * _MS: "every second|each second|每秒钟",
        60_000 * _MS: "every minute|each minute|每分钟",
        _HOUR: "hourly|every hour|each hour|每小时|每个小时",
        _DAY: "daily|nightly|every day|each day|every night|每天|每日|每晚",
        7 * _DAY: "weekly|every week|each week|每周|每星期",
        14 * _DAY: "biweekly|fortnightly|每两周",
        MONTH: "monthly|every month|each month|每月|每个月",
        3 * MONTH: "quarterly|every quarter|每季度",
        YEAR: "yearly|annually|every year|each year|每年",
    }.items()
    for word in words.split("|")
}

# What is counted: the first word stands for all. A noun that is not here makes no quantity
# of a number: "Decision 17 covers ..." would be one.
_NOUNS = """
times time attempt attempts retry retries try tries 次 遍 回
connection connections conn conns 连接 个连接 条连接
thread threads 线程 个线程
worker workers 工作进程 个工作进程
process processes 进程 个进程
replica replicas copy copies 副本 个副本 份副本
node nodes 节点 个节点 台
shard shards 分片 个分片
partition partitions 分区 个分区
instance instances 实例 个实例
pod pods
core cores cpu cpus vcpu vcpus 核 个核
server servers host hosts machine machines 服务器 台服务器 台机器
user users account accounts 用户 个用户 人 名 名用户
item items entry entries element elements 条目 个条目 项 条
record records row rows 记录 条记录 行记录 条数据
character characters char chars 字符 个字符 字 个字
digit digits 位 位数字 位数
line lines 行
page pages 页
file files 文件 个文件
request requests req reqs call calls 请求 个请求 次请求 次调用
message messages msg msgs 消息 条消息
event events 事件 个事件
job jobs task tasks 任务 个任务
session sessions 会话 个会话
token tokens 令牌 个令牌
product products sku skus 商品 件商品 件
order orders 订单 个订单 笔订单 笔
image images photo photos picture pictures 图片 张图片 张
device devices 设备 台设备 个设备
version versions release releases 版本 个版本
backup backups snapshot snapshots 备份 份备份 个备份
level levels 层 级 层级
column columns field fields 字段 个字段 列
approval approvals reviewer reviewers approver approvers 审批人 个审批人 位审批人
stage stages 阶段 个阶段
region regions 区域 个区域 地域
zone zones 可用区 个可用区
tenant tenants 租户 个租户
dimension dimensions 维
failure failures error errors 失败 次失败 错误 个错误
round rounds 轮
fold x 倍
"""
NOUNS = {
    word: words[0]
    for words in (line.split() for line in _NOUNS.split("\n"))
    for word in words
} | {"个": "", "份": "", "组": "", "种": ""}

# What a number is a value of: the first word stands for all.
_ATTRIBUTES = """
timeout timeouts deadline 超时 超时时间 超时时长
delay backoff wait latency 延迟 等待 退避 间隔时间 时延
interval period frequency every polls 间隔 周期 频率 每隔
ttl expiry expiration expires expire lifetime validity 有效期 过期 过期时间 存活时间 失效
retention retained retain keep kept 保留 留存 保存
size 大小 体积 尺寸
length long 长度
retries attempts 重试 重试次数
concurrency parallelism 并发 并发数
threshold 阈值 门限
batch 批量 批次
pool 连接池 线程池
quota 配额
price fee cost 价格 费用 金额 手续费
discount 折扣
rate ratio 比例 比率 采样率 费率
coverage 覆盖率
memory heap 内存 堆
disk storage 磁盘 存储
port 端口 端口号
"""
ATTRIBUTES = {
    word: words[0]
    for words in (line.split() for line in _ATTRIBUTES.strip().split("\n"))
    for word in words
}
# Behind one of these a bare number is a value and no label.
SETTINGS = frozenset(ATTRIBUTES) | frozenset(
    """limit limits cap maximum max minimum min count number level factor weight
    上限 下限 限制 最大值 最小值 次数 数量 个数 人数 条数 默认值 权重""".split()
)
# A number behind one of these is a name: "Decision 17", "RFC 7231", "步骤 3".
ORDINALS = frozenset(
    """decision decisions constraint rule rfc issue issues pr adr ticket step phase part chapter section
    task item case test sprint iteration entry fact record increment title note page figure table
    question requirement story epic bug commit build release milestone version article appendix
    paragraph line row column module service component widget flow feature option scenario example
    http status error errno code exit signal iso ieee pep bip eip jep kip sha md utf es ecma
    no number num id day week month year q quarter topic subject group node server shard zone
    user order product job event message room building layer stage tier track lesson memory
    决策 决定 步骤 阶段 章节 规则 任务 问题 编号 需求 议题 约束 条目 用例 迭代 版本 第 号 错误码 状态码 模块 服务 流程 方案""".split()
)
# A number behind one of these is a version: "Java 17", "Node 20".
PRODUCTS = frozenset(
    """node nodejs java jdk python go golang ruby php rust kotlin scala swift dotnet postgres postgresql mysql mariadb
    mongodb redis kafka rabbitmq elasticsearch spring springboot react vue angular svelte django rails
    laravel typescript ubuntu debian centos alpine kubernetes k8s docker helm terraform gradle maven
    npm pnpm yarn webpack vite android ios chrome es tls http openapi oauth""".split()
)
