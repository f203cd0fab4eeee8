"""Tests of the mask for credentials of known forms: each form, what is no credential, and hostile texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.blank_secrets import blank_secrets
from proxy.upstream.masking import MASK
from tests.support.cpu_time import cpu_seconds

ALNUM = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3eF6hI9kL2nO5qR8tU1wX4yZ7bC0dE"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{ALNUM}\n{ALNUM[:40]}==\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

KEYS = {
    "openai": f"sk-{ALNUM[:48]}",
    "openai project": f"sk-proj-{ALNUM[:20]}_{ALNUM[:30]}-x",
    "anthropic": f"sk-ant-api03-{ALNUM}-{ALNUM[:20]}AA",
    "openrouter": "sk-or-v1-" + "0123456789abcdef" * 4,
    "stripe": f"sk_live_{ALNUM[:24]}",
    "google": f"AIzaSy{ALNUM[:33]}",
    "google oauth": f"ya29.{ALNUM[:40]}",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "aws session": "ASIAIOSFODNN7EXAMPLE",
    "github": f"ghp_{ALNUM[:36]}",
    "github oauth": f"gho_{ALNUM[:36]}",
    "github fine-grained": f"github_pat_{ALNUM[:22]}_{ALNUM[:59]}",
    "slack": "xoxb-1234567890-1234567890123-" + ALNUM[:24],
    "gitlab": f"glpat-{ALNUM[:20]}",
    "hugging face": f"hf_{ALNUM[:34]}",
    "npm": f"npm_{ALNUM[:36]}",
    "groq": f"gsk_{ALNUM[:52]}",
    "sendgrid": f"SG.{ALNUM[:22]}.{ALNUM[:43]}",
    "jwt": JWT,
    "private key": PEM,
    "private key in json": PEM.replace("\n", "\\n"),
}
AROUND = (
    "{}",
    "key {} here",
    "KEY={}",
    '"{}"',
    "({})",
    "a:\n{}\nb",
    '{{"k": "{}"}}',
    "x,{};",
    "\\n{}\\n",
    "<{}>",
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("kind", KEYS)
def test_a_key_with_a_known_prefix_is_masked(kind: str, around: str) -> None:
    assert blank_secrets(around.format(KEYS[kind])) == around.format(MASK)


MASKED = (
    # the text, with the secret between « and »
    "Authorization: Bearer «opaque-token»",
    'curl -H "Authorization: Bearer «abc.def/ghi+jkl=»"',
    '{"Authorization": "Basic «dXNlcjpwYXNz»"}',
    '{\\"authorization\\": \\"token «0123456789ab»\\"}',
    "bearer «0123456789abcdef0123456789abcdef»",
    "password=«hunter2hunter»",
    'password = "«correct-horse»"',
    "password: '«hunter2hunter»'",
    '"password": "«hunter2hunter»"',
    '\\"password\\": \\"«hunter2hunter»\\"',
    "DB_PASSWORD=«letmeinplease»",
    "PGPASSWORD=«letmein!»",
    "api_key: «0123456789abcdef»",
    "x-api-key: «0123456789abcdef»",
    "OPENAI_API_KEY=«a1b2c3d4e5f6g7h8»",
    "apiKey: '«a1b2c3d4e5f6g7h8»',",
    "client_secret=«a1b2c3d4e5f6g7h8»&grant_type=x",
    "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»",
    "AccountKey=«a1b2c3d4e5f6g7h8==»;EndpointSuffix=x",
    "https://x.example/?access_token=«a1b2c3d4e5f6»&b=1",
    "secret: «123e4567-e89b-12d3-a456-426614174000»",
    "postgres://me:«hunter2»@db.example:5432/app",
    "https://user:«p»@host.example/path",
    "redis://:«secret»@cache:6379",
    "token => «a1b2c3d4e5f6»",
    "API_TOKEN=«abcdefghijklmnop»",
    '"auth": "«dXNlcjpwYXNzd29yZDE=»"',
    "curl -s -X POST -u admin:«hunter2» https://host.example/",
    "curl --user 'admin:«hunter2»' https://host.example/",
    "curl https://host.example/curls -u admin:«hunter2» --insecure",
    "login --db-password «hunter2hunter» --verbose",
    "deploy --token «a1b2c3d4e5f6»",
)


@pytest.mark.parametrize("marked", MASKED)
def test_a_secret_in_a_known_place_is_masked(marked: str) -> None:
    before, _, rest = marked.partition("«")
    secret, _, after = rest.partition("»")

    assert blank_secrets(before + secret + after) == before + MASK + after


KEPT = (
    "sk-learn",
    "pip install sk-learn-model-selection-and-more-2024",
    "the risk-based-approach-to-monitoring-2024-q3",
    "disk-0123456789abcdef0123456789abcdef",
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "123e4567-e89b-12d3-a456-426614174000",
    "call_aB3dE6gH9jK2mN5pQ8sT1vW4",
    "chatcmpl-aB3dE6gH9jK2mN5pQ8sT1vW4xY7z",
    "hf_hub_download(repo_id, filename)",
    "npm_config_registry=https://registry.example",
    "from hf_transfer_and_more_long_names_of_functions import x",
    "def password(self, password: str) -> None:",
    "password = getpass.getpass()",
    "password=password, user=user",
    "password=self.settings.password",
    "token = tokenizer.decode(ids)",
    "token: TokenStream",
    "docker run -u 1000:1000 image",
    "curl -s https://host.example/ ; id -u me:you",
    "login --password-stdin",
    "--token TOKEN_OF_THE_USER",
    "author: somebody12345678",
    "token=make_token_v2_of(user)",
    "password = derive_key_v2(seed)",
    "token = step1of9",
    "let token = Token::Base64Decoder;",
    "token::Base64Decoder123",
    "max_tokens=100000000000000",
    "total_tokens: 123456789012345",
    'secret = os.environ["APP_SECRET_V2_LONG"]',
    "secret: ${APP_SECRET_V2_LONG}",
    'api_key: "<your-api-key-1234567>"',
    "api_key=$OPENAI_API_KEY_2",
    "api_key: os.environ/OPENAI_API_KEY_2",
    "apiKey: process.env.OPENAI_API_KEY_2",
    "redis://me:${REDIS_PASSWORD}@host and redis://:$(PW)@host and redis://:$PW@host",
    "f'redis://:{password}@host'",
    "api_key = settings.api_key",
    "https://example.com:8080/path@2",
    "https://example.com/a?b=c:d@e",
    "git@github.com:owner/repo.git",
    "http://127.0.0.1:4000/v1",
    "see scheme://host:port and user@host",
    "Bearer authentication is used",
    "a bearer authenticationcredentials scheme",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "eyJhbGciOiJIUzI1NiJ9 alone",
    "AKIA is a prefix",
    "a.b.c eyJ.eyJ.eyJ",
    "",
)


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_text_stays(text: str) -> None:
    assert blank_secrets(text) == text


@pytest.mark.parametrize("cut", ["-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n"])
def test_a_private_key_without_its_end_or_beginning_is_masked(cut: str) -> None:
    masked = blank_secrets(f"before: {PEM.replace(cut, '')}")

    assert masked.rstrip() == f"before: {MASK}"


def test_a_private_key_with_an_omission_in_it_is_masked_on_both_sides() -> None:
    text = PEM.replace(ALNUM[:40] + "==", f"[… 99 of 200 characters …]\n{ALNUM}")

    masked = blank_secrets(f"a {text} b")

    assert masked == f"a {MASK}[… 99 of 200 characters …]{MASK} b"


def test_two_private_keys_are_masked_apart() -> None:
    assert blank_secrets(f"{PEM}\nand\n{PEM}") == f"{MASK}\nand\n{MASK}"


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_text_is_blanked_once(text: str) -> None:
    once = blank_secrets(text)

    assert blank_secrets(once) == once


words = st.lists(st.sampled_from([*KEYS.values(), *KEPT, "word", "\n", " "]), max_size=12)


@given(words)
def test_no_key_is_left_among_other_words(parts: list[str]) -> None:
    masked = blank_secrets(" ".join(parts))

    assert not any(key in masked for key in KEYS.values())


HOSTILE = (
    "sk-",
    "sk-a",
    "eyJaaaaaaaa.",
    "SG.aaaaaaaaaaaaaaaa",
    "token=",
    "token=(",
    'token="x',
    "password=a ",
    "://a:",
    "bearer a",
    "curl -u ",
    "--token a",
    "-",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "AAAA\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----Proc-Type: ,",
)


def test_many_calls_of_curl_on_one_line_cost_no_more_than_other_text() -> None:
    """A search from each ``curl`` on read 300 characters for each of them: 6 seconds for this text."""
    text = "curl -u " * 500_000

    assert cpu_seconds(lambda: blank_secrets(text), 2.0) < 2.0


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_is_linear_in_a_hostile_text(piece: str) -> None:
    """A text of 200,000 characters takes about 0.1 seconds, and would take minutes at a quadratic cost."""
    text = piece * (200_000 // len(piece)) + "("

    assert cpu_seconds(lambda: blank_secrets(text), 2.0) < 2.0


_PIECES = st.sampled_from(
    [
        "pass",
        "word",
        "token",
        "secre",
        "key",
        "_",
        "=",
        ": ",
        '"',
        "abc12345678",
        "encryption_key",
        " ",
        "AUTH",
        "\n",
    ]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_places_of_names_are_found_as_by_a_search_that_ignores_case(text: str) -> None:
    """The search in small letters is faster, and must find the same values. An accent switches it off."""
    assert blank_secrets(text) == blank_secrets(f"{text} é").removesuffix(" é")
