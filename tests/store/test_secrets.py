"""No secret reaches a tracked file (H64), and nothing else is masked.

The secrets are put together when the tests run, so that this file holds none.
"""

import base64
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from afterword.store import secret_scan, secrets
from afterword.store.secret_random import is_random_string

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
DIGITS = "0123456789"
HEX = "0123456789abcdef"
TOKEN = LETTERS + "_-"
BASE64 = LETTERS + "+/"


def shapes(seed):
    """One secret of each shape, by name."""
    source = random.Random(seed)

    def any_of(length, alphabet=LETTERS):
        return "".join(source.choice(alphabet) for _ in range(length))

    def encoded(text):
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    slack_numbers = f"{any_of(12, DIGITS)}-{any_of(12, DIGITS)}"
    return {
        "aws-access-key": "AKIA" + any_of(15, CAPITALS) + "7",
        "aws-session-key": "ASIA" + any_of(15, CAPITALS) + "3",
        "github-classic": "ghp_" + any_of(36),
        "github-oauth": "gho_" + any_of(36),
        "github-user": "ghu_" + any_of(36),
        "github-server": "ghs_" + any_of(36),
        "github-refresh": "ghr_" + any_of(36),
        "github-fine-grained": f"github_pat_{any_of(22)}_{any_of(59)}",
        "gitlab": "glpat-" + any_of(20, TOKEN),
        "slack-bot": f"xoxb-{slack_numbers}-{any_of(24)}",
        "slack-user": f"xoxp-{slack_numbers}-{any_of(32, HEX)}",
        "slack-hook": f"https://hooks.slack.com/services/T{any_of(8, CAPITALS)}/B{any_of(8, CAPITALS)}/{any_of(24)}",
        "anthropic": "sk-ant-" + "api03-" + any_of(93, TOKEN) + "AA",
        "openai": "sk-" + any_of(48),
        "openai-project": "sk-" + "proj-" + any_of(64, TOKEN),
        "stripe": "sk_" + "live_" + any_of(24),
        "stripe-restricted": "rk_" + "live_" + any_of(24),
        "stripe-hook": "whsec_" + any_of(32),
        "google-api": "AIza" + any_of(35, TOKEN),
        "google-oauth": "ya29." + any_of(60, TOKEN),
        "google-client": "GOCSPX-" + any_of(28, TOKEN),
        "npm": "npm_" + any_of(36),
        "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + any_of(60, TOKEN),
        "digitalocean": "dop_v1_" + any_of(64, HEX),
        "sendgrid": f"SG.{any_of(22, TOKEN)}.{any_of(43, TOKEN)}",
        "huggingface": "hf_" + any_of(34),
        "shopify": "shpat_" + any_of(32, HEX),
        "twilio": "SK" + any_of(32, HEX),
        "mailgun": "key-" + any_of(32, HEX),
        "mailchimp": any_of(32, HEX) + "-us12",
        "telegram": any_of(9, "123456789") + ":AA" + any_of(33, TOKEN),
        "discord": f"M{any_of(23)}.{any_of(6)}.{any_of(27)}",
        "azure-storage": "AccountKey=" + any_of(86, BASE64) + "==",
        "jwt": ".".join(
            (encoded('{"alg":"HS256"}'), encoded('{"sub":"12345"}'), any_of(43, TOKEN))
        ),
        "docker": "dckr_pat_" + any_of(27, TOKEN),
        "vault": "hvs." + any_of(90, TOKEN),
        "databricks": "dapi" + any_of(32, HEX),
        "grafana": f"glsa_{any_of(32)}_{any_of(8, HEX)}",
        "linear": "lin_api_" + any_of(40),
        "age": "AGE-SECRET-KEY-1" + any_of(58, CAPITALS),
        "terraform": f"{any_of(14)}.atlasv1.{any_of(67, TOKEN)}",
        "tailscale": f"tskey-auth-{any_of(12)}-{any_of(32)}",
        "pulumi": "pul-" + any_of(40, HEX),
        "buildkite": "bkua_" + any_of(40, HEX),
        "langsmith": f"lsv2_pt_{any_of(32, HEX)}_{any_of(10, HEX)}",
        "tavily": "tvly-" + any_of(32),
        "circleci": f"CCIPAT_{any_of(22)}_{any_of(40, HEX)}",
        "notion-old": "secret_" + any_of(43),
        "onepassword": "ops_eyJ" + any_of(120),
        "private-key": "-----BEGIN RSA PRIVATE KEY-----\n"
        + "\n".join(any_of(64, BASE64) for _ in range(5))
        + "\n-----END RSA PRIVATE KEY-----",
    }


NAMES = list(shapes(0))


def left_over(secret, text):
    """The longest run of the secret that still stands in the text."""
    longest = 0
    for start in range(len(secret)):
        while (
            start + longest < len(secret)
            and secret[start : start + longest + 1] in text
        ):
            longest += 1
    return longest


CONTEXTS = {
    "alone": "{}",
    "sentence": "We use {} for uploads.",
    "commit": "Fix login\n\nDecision: keep {} for now\n",
    "branch": "feature/{}",
    "path": "config/{}/settings.py",
    "environment": "HOME=/root\nSOME_VALUE={}\nPATH=/usr/bin\n",
    "export": "export X_TOKEN='{}'",
    "json": '{{"a": "{}"}}',
    "url": "https://example.com/?key={}",
}


def test_there_are_more_than_thirty_shapes_h64():
    assert len(NAMES) > 30


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_secret_is_masked_wherever_it_stands_h64(name, context):
    for seed in range(3):
        secret = shapes(seed)[name]
        masked = secrets.mask(CONTEXTS[context].format(secret))
        assert masked.kinds
        assert left_over(secret, masked.text) < 9
        assert secrets.mask(masked.text).text == masked.text


@pytest.mark.parametrize("name", NAMES)
def test_a_hook_sees_the_shape_wherever_it_stands_h64(name):
    secret = shapes(1)[name]
    missed = [
        context
        for context, form in CONTEXTS.items()
        if not secrets.hits_prefix(form.format(secret))
    ]
    assert missed == []


BREAKS = [
    "\n",
    " ",
    "\r\n",
    "\n    ",
    " \\\n  ",
    '" \\\n "',
    '"\n + "',
    "\\n",
    "\u200b",
]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "private-key"])
def test_a_secret_cut_in_two_is_masked_h64(name):
    secret = shapes(2)[name]
    left = []
    for gap in BREAKS:
        for at in range(2, len(secret) - 1, max(1, len(secret) // 7)):
            text = f"see {secret[:at]}{gap}{secret[at:]} for the uploads"
            masked = secrets.mask(text).text
            if left_over(secret, masked) > 10 or not masked.endswith(
                " for the uploads"
            ):
                left.append((gap, at, masked))
    assert left == []


@pytest.mark.parametrize("gap", ["\n", " "])
def test_a_secret_spelled_in_groups_of_four_is_masked_h64(gap):
    secret = shapes(3)["aws-access-key"]
    groups = gap.join(secret[at : at + 4] for at in range(0, len(secret), 4))
    assert secrets.mask(f"the key {groups} is old").text == (
        "the key [masked: aws-access-key] is old"
    )
    assert secrets.hits_prefix(f"the key {groups} is old") == "aws-access-key"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "private-key"])
def test_a_secret_in_base64_is_masked_h64(name):
    secret = shapes(4)[name]
    dump = f"# values\nNAME: {secret}\nEND: 1\n".encode()
    for code in (
        base64.b64encode(dump).decode(),
        base64.urlsafe_b64encode(dump).decode(),
        base64.encodebytes(dump).decode(),
        base64.b64encode(secret.encode()).decode(),
    ):
        masked = secrets.mask(f"the file holds {code} as text")
        assert masked.kinds
        for run in secret_scan.base64_runs(masked.text):
            for plain in secret_scan.decodings(run):
                assert left_over(secret, plain) < 12


def test_a_hook_looks_into_base64_h64():
    code = base64.b64encode(("x: " + shapes(1)["github-classic"]).encode()).decode()
    assert secrets.hits_prefix(f"see {code}") == "github-token"


PASSWORDS = [
    ("password=hunter2", "password=[masked: assigned-secret]"),
    ("PASSWORD=correcthorse", "PASSWORD=[masked: assigned-secret]"),
    ("DB_PASSWORD_2=s3cr3t-pw\nX=1", "DB_PASSWORD_2=[masked: assigned-secret]\nX=1"),
    ("passwd: Tr0ub4dor&3", "passwd: [masked: assigned-secret]"),
    ('api_key: "abcd1234"', 'api_key: "[masked: assigned-secret]"'),
    ("{'client_secret': 'a1b2c3d4'}", "{'client_secret': '[masked: assigned-secret]'}"),
    (
        "login --password S3cret-99 now",
        "login --password [masked: assigned-secret] now",
    ),
    (
        "//r.example/:_authToken=0a1b2c3d4e",
        "//r.example/:_authToken=[masked: assigned-secret]",
    ),
    ("the password is Tr0ub4dor&3.", "the password is [masked: assigned-secret]."),
    ("\u5bc6\u7801\uff1aabcd1234efgh", "\u5bc6\u7801\uff1a[masked: assigned-secret]"),
    ("APP_KEY=base64abc123def456ghi7", "APP_KEY=[masked: assigned-secret]"),
    ("postgres://app:pw1@db/x", "postgres://app:[masked: url-password]@db/x"),
    ("redis://:s3cret@h:6379", "redis://:[masked: url-password]@h:6379"),
    (
        "git clone https://me:tok3n@h/r.git",
        "git clone https://me:[masked: url-password]@h/r.git",
    ),
    (
        "Authorization: Bearer abcdef0123456789",
        "Authorization: Bearer [masked: authorization]",
    ),
    (
        "Authorization: token 0a1b2c3d4e5f60718293",
        "Authorization: token [masked: authorization]",
    ),
    ("Basic dXNlcjpwYXNzd29yZA==", "Basic [masked: authorization]"),
    ("curl -u me:pw-1234 https://h", "curl -u me:[masked: basic-auth] https://h"),
    (
        "machine h login me password pw12",
        "machine h login me password [masked: netrc-password]",
    ),
    ("sshpass -p pw-123 ssh h", "sshpass -p [masked: assigned-secret] ssh h"),
    ("<password>pw-123</password>", "<password>[masked: assigned-secret]</password>"),
]


@pytest.mark.parametrize(("text", "masked"), PASSWORDS)
def test_the_value_alone_is_masked_h64(text, masked):
    assert secrets.mask(text).text == masked


HARMLESS = [
    "",
    "commit 9f0c1d2e3f405162738495a6b7c8d9e0f1a2b3c4 fixes it",
    "9f0c1d2",
    "session 8f14e45f-ceea-467f-9575-6f1d2c3b4a59 ended",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "s-20261102081530-7be1-0a1b2c3d4e5f",
    "LQ-044-3fa9c1, k-1f2e3d4c, c-0011aabb",
    "https://example.com/a/b?page=2&sort=asc#top",
    "https://github.com/owner/repo/blob/main/src/app/http_client.py#L10-L20",
    "ssh://git@host/path and git@github.com:owner/repo.git",
    ".ai/repo/knowledge/candidates/s-20261102081530-7be1-0a1b2c3d4e5f.md",
    "C:\\Users\\me\\project\\src\\Main.java",
    "The token is read from the environment; the password is never stored.",
    "Password: required. Secret: keep it safe. Token: none",
    "max_tokens=100000, token_count: 4096, tokens = 12",
    "password=$DB_PASSWORD and token: ${{ secrets.GITHUB_TOKEN }}",
    "password=<your password> api_key=YOUR_API_KEY token=xxxxxxxx",
    "token = parser.next_token() if password is None else get_password(user)",
    "self.password = config.database.password",
    "def login(user: str, password: str, token: Optional[str] = None) -> None:",
    "Use the risk-based, task-oriented, disk-usage-aware approach of 2026.",
    "sk-learn-pipelines-and-other-long-names-with-dashes",
    "ghp_ tokens have 40 characters since April 2021 and are called classic",
    "AKIA is the prefix of access keys; ASIA PACIFIC REGION SALES PLAN 2024",
    "A bearer of bad news; basic principles of interface design",
    "TestHTTPServerWithTLS13AndHTTP2FallbackForLegacyClients",
    "getUserByIdAndUpdateLastLoginTimestampOrThrowIfMissing",
    "npm_config_registry, npm_lifecycle_event, hf_transfer, SG.1, key-value",
    "decision: retry uploads at most 3 times, 2.5 s apart (RFC 7231 section 6.6.4)",
    "\u91cd\u8bd5\u4e0a\u4f20\u6700\u591a\u4e09\u6b21\uff0c\u5bc6\u7801\u4e0d\u5199\u5165\u65e5\u5fd7",
    "[masked: github-token] was there",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_survives(text):
    assert secrets.mask(text) == secrets.Masked(text=text)
    assert secrets.hits_prefix(text) == ""


def carried(seed):
    """Secrets told by a mark in their middle or by what carries them: (kind, text, secret)."""
    source = random.Random(seed)

    def any_of(length, alphabet=LETTERS):
        # One of each kind of character, so that no drawing lacks one.
        fixed = "Ab3" if alphabet is LETTERS else "a3"
        drawn = "".join(source.choice(alphabet) for _ in range(length - len(fixed)))
        return drawn[:4] + fixed + drawn[4:]

    plain, code, digest = any_of(12), any_of(40, HEX), any_of(64, HEX)
    hash_ = any_of(53, LETTERS + "./")
    registry = base64.b64encode(b"user:" + plain.encode()).decode()
    airtable = f"pat{any_of(14)}.{digest}"
    azure, vault = f"abc8Q~{any_of(34)}", "s." + any_of(24)
    signed = f"s%3A{any_of(32)}.{any_of(43)}"
    return [
        ("password-hash", f"seeded with $2b$12${hash_}", hash_),
        ("airtable-token", f"use {airtable}", airtable),
        ("azure-client-secret", f"id x, {azure}", azure),
        ("vault-token", f"login {vault} now", vault),
        ("authorization", f"send SSWS 00{code}", code),
        ("azure-sas", f"https://b.example/c?sv=2022&sig={any_of(43)}%3D", "sig="),
        ("cookie", f"Cookie: lang=en; sessionid={code[:32]}; a=b", code[:32]),
        ("cookie", f"connect.sid={signed}", signed),
        ("url-password", f"https://{code}@github.com/o/r.git", code),
        ("registry-auth", f'{{"auth":"{registry}"}}', registry),
        ("assigned-secret", f'psk="{plain}"', plain),
        ("hex-key", f"private key 0x{digest}", digest),
        ("private-key", f"the private key {digest}", digest),
        ("database-password", f"mysql -uroot -p{plain} db", plain),
        ("database-password", f"mysqldump --opt -p'{plain}' db", plain),
        ("database-password", f"redis-cli -h h -a {plain} ping", plain),
        (
            "teams-webhook",
            f"https://o.webhook.office.com/webhookb2/{code[:12]}-1/IncomingWebhook/{code[:32]}/a",
            code[:32],
        ),
    ]


def test_what_is_told_by_its_carrier_is_masked_h64():
    for seed in range(5):
        for kind, text, secret in carried(seed):
            masked = secrets.mask(text)
            assert (kind in masked.kinds, secret in masked.text) == (True, False), text
            assert secrets.mask(masked.text).text == masked.text
            assert secrets.hits_prefix(masked.text) == ""
            assert secrets.is_doubtful(text)


def wide(text):
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


DISGUISES = {
    "percent": lambda secret: secret.replace("_", "%5F"),
    "percent twice": lambda secret: secret.replace("_", "%255f"),
    "zero width": "\u200b".join,
    "soft hyphen": lambda secret: secret[:2] + "\u00ad" + secret[2:],
    "full width": wide,
    "full width prefix": lambda secret: wide(secret[:4]) + secret[4:],
    "hex": lambda secret: secret.encode().hex(),
    "capital hex": lambda secret: secret.encode().hex().upper(),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_secret_in_disguise_is_masked_h64(disguise):
    shown = DISGUISES[disguise](shapes(5)["github-classic"])
    masked = secrets.mask(f"we keep {shown} for uploads")
    assert masked.text.startswith("we keep [masked: ")
    assert masked.text.endswith("] for uploads")
    assert len(masked.text) < 50
    assert secrets.is_doubtful(f"we keep {shown} for uploads")


SEED_WORDS = "zebra apple river stone cloud fancy tiger ocean lemon puppy solar grape"


@pytest.mark.parametrize("form", ["seed phrase: {}", "mnemonic is `{}`", "recovery={}"])
def test_the_words_of_a_wallet_are_masked_h64(form):
    masked = secrets.mask(form.format(SEED_WORDS) + " for the test net")
    assert masked.text == (form.format("[masked: seed-phrase]") + " for the test net")
    assert secrets.is_doubtful(form.format(SEED_WORDS)) == "seed-phrase"


ORDINARY = [
    "Retry uploads at most three times",
    "Use HTTP/2 and parse_utf8_header() in lib/parser2.py since v1.2.3-rc1 of 2026-11-30"
    " (see #1234, commit 3fa9c1d, https://example.org/a/b)",
    "feature/JIRA-1234-add-parser",
    "dependabot/npm_and_yarn/foo-1.2.3",
    "dependabot/github_actions/actions/checkout-4.1.7",
    "renovate/major-react-monorepo",
    "release/2026-11",
    "claude/fix-bug-9x7k2q",
    "copilot/fix-3b1c9a2e-77f0-4c9e-8f0e-1d2c3b4a5968",
    "src/main/java/com/example/service/impl/UserAccountServiceImplTest2.java",
    "docs/adr/0012-use-oauth2-and-oidc.md",
    "migrations/20240101123456_add_users_table.sql",
    "node_modules/.pnpm/react-dom@18.2.0_react@18.2.0/node_modules",
    "assets/index-B3xk9Qz2.js",
    "Reviewed-by: Jane Doe <jane.doe1984@example.org>",
    "Change-Id: I8f14e45fceea467f95756f1d2c3b4a5968aabbcc",
    "Rejected: keep the session token in localStorage, since scripts read it",
    "Keep the password hash in argon2id with 64 MiB",
    "The key is to keep uploads small; the token is valid for 15 minutes",
    "docker run -u 1000:1000 -p 8080:80 image",
    "mysql -p asks for it; curl -u takes a name",
    "The wallet keeps a seed phrase but must never write it, since anyone who reads that"
    " file can then take what the wallet holds without being asked",
    "tests/data/vectors/aes256-gcm-sha384-x25519.json",
    "Set-Cookie: samesite=lax; max-age=31536000; path=/",
    "transaction 0x0 and contract 0x00000000219ab540356cbb839cbe05303d7705fa are public",
    "session=8f14e45f-ceea-467f-9575-6f1d2c3b4a59 session=s-20261102081530-7be1-0a1b2c3d4e5f",
    "https://example.org/a%20b?q=100%25&lang=de%2Den",
    "\uff21 \uff1a full width letters, caf\u00e9, na\u00efve \u2192 50% of 100%",
]
# Looks random, is public: a command keeps it, a hook leaves it to the command.
LEFT_TO_THE_COMMAND = ("sha256-47DEQ", "ssh-ed25519 ", "transaction 0")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_trailers_branches_and_paths_survive(text):
    assert secrets.mask(text) == secrets.Masked(text=text)
    assert secrets.hits_prefix(text) == ""
    assert text.startswith(LEFT_TO_THE_COMMAND) or secrets.is_doubtful(text) == ""


@pytest.mark.parametrize(
    "text", [text for text in HARMLESS if not text.startswith(LEFT_TO_THE_COMMAND)]
)
def test_a_hook_keeps_what_is_harmless(text):
    assert secrets.is_doubtful(text) == ""


PLACES = ["{}", "We keep {} for now", "fix/{}", "docs/adr/{}.md", 'x="{}"', "a:{}"]


@pytest.mark.parametrize("place", PLACES)
def test_a_hook_withholds_random_strings_h64(place):
    source = random.Random(7)
    for alphabet, length in ((LETTERS, 20), (LETTERS, 32), (BASE64, 40), (TOKEN, 32)):
        seen = sum(
            bool(
                secrets.is_doubtful(
                    place.format(
                        "".join(source.choice(alphabet) for _ in range(length))
                    )
                )
            )
            for _ in range(300)
        )
        assert seen > 0.97 * 300, (alphabet, length)


DOUBTFUL = [
    "the password is hunter2",
    "curl -u admin:hunter2x http://h",
    "machine h login u password qWeRtYuI",
    "mysql -uroot -pqwerty",
    "db_pass: QwErTyUiOp",
    "0x" + "9f0c1d2e" * 8,
    "the api token 9f0c1d2e3f405162738495a6b7c8d9e0",
    "9f0c1d2e3f405162738495a6b7c8d9e0f1a2",
]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_hook_withholds_what_looks_like_a_secret_h64(text):
    assert secrets.is_doubtful(text)
    assert secrets.is_doubtful(secrets.mask(text).text) in (
        "",
        secrets.is_doubtful(text),
    )


@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_hook_sees_it_doubts_h64(name):
    for form in CONTEXTS.values():
        assert secrets.is_doubtful(form.format(shapes(1)[name]))


def test_a_hook_doubts_without_a_heavy_module():
    code = (
        "import sys; from afterword.store import secrets;"
        "secrets.is_doubtful('keep %5F \uff21 ' + 'aB3' * 9);"
        "print([m for m in ('re', 'typing', 'json', 'collections') if m in sys.modules])"
    )
    lib = Path(secrets.__file__).parents[2]
    run = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(lib)!r}); {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[]\n"


def test_kinds_are_told_once_each_in_order():
    github, aws = shapes(1)["github-classic"], shapes(1)["aws-access-key"]
    masked = secrets.mask(f"{github} {aws} {github}")
    assert masked.kinds == ("github-token", "aws-access-key")
    assert masked.text == (
        "[masked: github-token] [masked: aws-access-key] [masked: github-token]"
    )


def test_a_private_key_in_one_line_is_masked_to_its_end():
    key = shapes(1)["private-key"].replace("\n", "\\n")
    assert secrets.mask(f'KEY="{key}" and more').text == (
        'KEY="[masked: private-key]" and more'
    )


def test_a_hook_withholds_what_is_too_long_to_search():
    assert secrets.hits_prefix("a" * 16_385) == "unchecked"


PIECES = st.one_of(
    st.text(max_size=20),
    st.integers(0, 30).flatmap(
        lambda seed: st.sampled_from(NAMES).map(lambda name: shapes(seed)[name])
    ),
    st.sampled_from(
        [
            " ",
            "\n",
            "=",
            "%",
            "%5F",
            "\u200b",
            "\uff1d",
            "Cookie: a=",
            "psk=",
            "auth:",
            "key 0x",
            "mysql -p",
            "seed: " + "apple " * 12,
            "password=",
            "token: ",
            "://u:",
            "@",
            "[masked: ",
            "]",
        ]
    ),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=6).map("".join))
@example("PSK=000@[masked: ")  # no mask of ours, so no end of the value
def test_masking_twice_changes_nothing(text):
    once = secrets.mask(text)
    assert secrets.mask(once.text) == secrets.Masked(text=once.text)
    assert secrets.hits_prefix(once.text) == ""  # a hook agrees with the command


@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "password='",
        "://a:",
        "ghp_ ",
        "x9y ",
        "\\",
        '"\n',
        "%25",
        "\uff05",
        "cookie: a=b;",
        "seed apple ",
        "mysql -p ",
        "s.",
        "sid=",
        "auth=",
        "0x",
        "ab.",
        "is key ",
    ],
)
def test_hostile_text_costs_no_time(unit):
    text = (unit * 60_000)[:60_000]
    assert secrets.mask(text).text == text


@pytest.mark.parametrize(
    ("alphabet", "length", "share"),
    [(LETTERS, 24, 0.88), (LETTERS, 40, 0.94), (BASE64, 64, 0.97)],
)
def test_most_random_strings_are_seen(alphabet, length, share):
    source = random.Random(11)
    seen = sum(
        is_random_string("".join(source.choice(alphabet) for _ in range(length)))
        for _ in range(1000)
    )
    assert seen > share * 1000
