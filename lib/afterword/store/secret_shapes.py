"""What secrets look like: literal prefixes, names of variables, stand-ins.

Tables only, for the other `store.secret*` modules. Part of a hook's path. The
prefixes are those that the issuers document. Imports `afterword.model` only.
"""

from __future__ import annotations

from afterword.model import Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    Row = tuple[str, str, frozenset[str], int]


class Found(Model):
    """A secret in a text: where it begins and ends, and what kind it is."""

    start: int
    end: int
    kind: str


UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
DIGITS = frozenset("0123456789")
CAPITALS = UPPER | DIGITS
ALNUM = CAPITALS | LOWER
HEX = DIGITS | frozenset("abcdef")
WORD = ALNUM | {"_"}
TOKEN = WORD | {"-"}
DOTTED = TOKEN | {"."}
PATH = TOKEN | {"/"}
BASE64 = ALNUM | frozenset("+/=")

# kind, its prefixes (by spaces), the characters of the rest, how many of them at least
ROWS: tuple[Row, ...] = (
    ("aws-access-key", "AKIA ASIA ABIA", CAPITALS, 16),
    ("github-token", "ghp_ gho_ ghu_ ghr_", ALNUM, 30),
    ("github-token", "ghs_", DOTTED, 30),
    ("github-token", "github_pat_", WORD, 22),
    ("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glsoat-", DOTTED, 20),
    ("slack-token", "xoxa- xoxb- xoxp- xoxo- xoxr- xoxs- xoxe- xapp-", TOKEN, 20),
    ("slack-token", "xoxe.xox", DOTTED, 10),
    ("slack-webhook", "hooks.slack.com/services/", PATH, 20),
    (
        "discord-webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        PATH,
        40,
    ),
    ("anthropic-key", "sk-ant-", TOKEN, 20),
    ("openai-key", "sk-", TOKEN, 20),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", ALNUM, 16),
    ("stripe-key", "whsec_", BASE64, 24),
    ("google-api-key", "AIza", TOKEN, 35),
    ("google-oauth-token", "ya29.", DOTTED, 20),
    ("google-client-secret", "GOCSPX-", TOKEN, 24),
    ("google-refresh-token", "1//0", TOKEN, 30),
    ("npm-token", "npm_", ALNUM, 36),
    ("pypi-token", "pypi-", TOKEN, 30),
    ("rubygems-token", "rubygems_", HEX, 40),
    ("docker-token", "dckr_pat_", TOKEN, 20),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX, 64),
    ("sendgrid-key", "SG.", DOTTED, 40),
    ("mailgun-key", "key-", HEX, 32),
    ("twilio-key", "SK", HEX, 32),
    ("huggingface-token", "hf_", ALNUM, 30),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", HEX | UPPER, 32),
    ("square-token", "sq0atp-", TOKEN, 22),
    ("square-token", "sq0csp-", TOKEN, 43),
    ("atlassian-token", "ATATT3", TOKEN | {"="}, 40),
    ("bitbucket-token", "ATBB", ALNUM, 28),
    ("postman-key", "PMAK-", TOKEN, 59),
    ("linear-key", "lin_api_", ALNUM, 30),
    ("notion-token", "ntn_", ALNUM, 40),
    ("figma-token", "figd_", TOKEN, 30),
    ("groq-key", "gsk_", ALNUM, 40),
    ("replicate-token", "r8_", ALNUM, 30),
    ("xai-key", "xai-", ALNUM, 40),
    ("perplexity-key", "pplx-", ALNUM, 40),
    ("nvidia-key", "nvapi-", TOKEN, 40),
    ("databricks-token", "dapi", HEX, 32),
    ("vault-token", "hvs. hvb.", TOKEN, 24),
    ("grafana-token", "glsa_", WORD, 32),
    ("grafana-token", "glc_", BASE64, 32),
    ("supabase-token", "sbp_", HEX, 40),
    ("supabase-token", "sb_secret_", TOKEN, 20),
    ("sentry-token", "sntrys_", BASE64 | {"_"}, 40),
    ("sentry-token", "sntryu_", HEX, 40),
    ("doppler-token", "dp.pt.", ALNUM, 40),
    ("fly-token", "fm2_ fo1_", BASE64 | {"_"}, 40),
    ("planetscale-token", "pscale_tkn_", DOTTED, 30),
    ("terraform-token", ".atlasv1.", TOKEN, 60),
    ("newrelic-key", "NRAK-", CAPITALS, 27),
    ("dynatrace-token", "dt0c01.", DOTTED, 60),
    ("facebook-token", "EAACEdEose0cBA", ALNUM, 10),
    ("age-key", "AGE-SECRET-KEY-1", CAPITALS, 58),
    ("artifactory-token", "AKCp", ALNUM, 10),
    ("azure-storage-key", "AccountKey= SharedAccessKey=", BASE64, 20),
    ("azure-sas", "&sig= ?sig=", BASE64 | {"%"}, 20),
    ("jwt", "eyJ", DOTTED, 30),
    ("onepassword-token", "ops_eyJ", TOKEN, 40),
    ("tailscale-key", "tskey-", TOKEN, 20),
    ("pulumi-token", "pul-", HEX, 40),
    ("buildkite-token", "bkua_", HEX, 40),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", WORD, 32),
    ("tavily-key", "tvly-", TOKEN, 20),
    ("circleci-token", "CCIPAT_ CCIPRJ_", WORD, 40),
    ("notion-token", "secret_", ALNUM, 43),
    ("teams-webhook", "webhook.office.com/webhookb2/", PATH | {"@"}, 40),
)

# One row a prefix.
SHAPES = tuple(
    (kind, prefix, chars, least)
    for kind, prefixes, chars, least in ROWS
    for prefix in prefixes.split()
)

# No token of these shapes is shorter, its prefix included.
SHORTEST = min(len(prefix) + least for _, prefix, _, least in SHAPES)

# Parts of a variable's name, in lower case, that say its value is a secret.
_NAMES = (
    "password passwd passphrase pwd secret token credential api_key apikey api-key"
    " access_key accesskey access-key private_key privatekey auth_key account_key"
    " signing_key encryption_key master_key _pass _pw psk \u5bc6\u7801 \u5bc6\u94a5 \u53e3\u4ee4 \u4ee4\u724c"
)
SECRET_WORDS = tuple(_NAMES.split())

# How a value begins that points elsewhere or is an example, in lower case.
_EXAMPLES = (
    "$ < { % * [ xxx ... \u2026 your example redacted masked hidden none null true false"
    " undefined required optional string placeholder dummy changeme env: process.env"
    " os.environ secret password passwd token api_key apikey"
)
STANDINS = tuple(_EXAMPLES.split())
