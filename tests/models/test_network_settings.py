"""Proxies, and certificates of one's own."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from tests.models.asking import ask, failure, table
from tests.proxies import Proxy
from tests.servers import ChatServer, say

from iamhumans.models import FailureKind, open_model
from iamhumans.models.proxies import proxy_in

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="makes a certificate with openssl")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 with its key, in one file."""
    path = tmp_path / "ca.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    options = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(path), "-out", "-"]
    made = subprocess.run([str(OPENSSL), *options, *subject], capture_output=True, check=True)
    path.write_bytes(path.read_bytes() + made.stdout)
    return path


def speaking_tls(certificate: Path) -> ChatServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return ChatServer([say("hello")], tls=context)


@needs_openssl
def test_a_certificate_of_one_s_own_is_accepted_where_its_file_is_named(tmp_path: Path, certificate: Path) -> None:
    with speaking_tls(certificate) as server:
        assert ask(table(tmp_path, server.openai_url, 'ca_file = "ca.pem"')).answer.text == "hello"


@needs_openssl
def test_without_it_the_error_names_the_setting(tmp_path: Path, certificate: Path) -> None:
    with speaking_tls(certificate) as server:
        failed = failure(table(tmp_path, server.openai_url))
    assert failed.kind is FailureKind.CONNECTION
    assert "`ca_file`" in failed.message


@needs_openssl
def test_an_encrypted_call_goes_through_a_tunnel(tmp_path: Path, certificate: Path) -> None:
    with Proxy() as proxy, speaking_tls(certificate) as server:
        model = table(tmp_path, server.openai_url, 'ca_file = "ca.pem"', f'proxy = "{proxy.url}"')
        assert ask(model).answer.text == "hello"
    assert proxy.asked == [f"CONNECT 127.0.0.1:{server.port}"]


def test_a_call_goes_through_the_proxy_of_its_table(tmp_path: Path) -> None:
    with Proxy() as proxy, ChatServer([say("hello")]) as server:
        assert ask(table(tmp_path, server.openai_url, f'proxy = "{proxy.url}"')).answer.text == "hello"
    assert proxy.asked == [f"POST {server.openai_url}/chat/completions"]


def test_a_call_goes_through_the_proxy_of_the_environment_where_a_table_says_so(tmp_path: Path) -> None:
    with Proxy() as proxy, ChatServer([say("hello")]) as server:
        environ = {"HTTP_PROXY": proxy.url}
        assert ask(table(tmp_path, server.openai_url, environ=environ)).answer.text == "hello"
        assert proxy.asked == []
        assert ask(table(tmp_path, server.openai_url, 'proxy = "env"', environ=environ)).answer.text == "hello"
        assert len(proxy.asked) == 1


def test_a_name_and_password_of_the_environment_s_proxy_are_sent_to_it_alone(tmp_path: Path) -> None:
    with Proxy() as proxy, ChatServer([say("hello")]) as server:
        environ = {"HTTP_PROXY": proxy.url.replace("://", "://me:hush@")}
        ask(table(tmp_path, server.openai_url, 'proxy = "env"', environ=environ))
    assert "Proxy-Authorization: Basic" in proxy.heads[0]


def test_a_proxy_that_does_not_answer_is_named_as_the_cause(tmp_path: Path) -> None:
    failed = failure(table(tmp_path, "http://127.0.0.1:9/v1", 'proxy = "http://127.0.0.1:9"'))
    assert "proxy" in failed.message


def test_where_a_proxy_of_the_environment_is_not_used_an_error_says_how_to_use_it() -> None:
    environ = {"HTTPS_PROXY": "http://127.0.0.1:9", "OPENAI_API_KEY": "sk-x"}
    there = {**environ, "IAMHUMANS_OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    message = failure(open_model("openai/gpt-5.1", environ=there)).message
    assert "HTTPS_PROXY is set, and is not used" in message
    assert 'proxy = "env" into [models."openai/gpt-5.1"]' in message


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://h/v1", "http://p:1"),
        ({"https_proxy": "p:1"}, "https://h/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "http://h/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://h/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://h/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.com, .b.com"}, "https://x.b.com/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "b.com"}, "https://xb.com/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, "https://10.1.2.3/v1", None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "h:8443"}, "https://h/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "h:8443"}, "https://h:8443/v1", None),
        ({"HTTPS_PROXY": ""}, "https://h/v1", None),
    ],
)
def test_the_proxy_of_the_environment(environ: dict[str, str], url: str, proxy: str | None) -> None:
    found = proxy_in(environ, url)
    assert (found.url if found else None) == proxy
