//! `https` and `wss`, against a server with a certificate of the test's own.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use base64::Engine as _;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sha1::{Digest as _, Sha1};

use crate::context::{TestContext, text};

/// A server for `localhost` whose certificate an authority of its own has signed: its port, and the authority in PEM.
fn serve() -> (u16, String) {
    let authority_key = KeyPair::generate().expect("a key can be made");
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_certificate = authority.self_signed(&authority_key).expect("it signs itself");
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key can be made");
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])
        .and_then(|params| params.signed_by(&key, &issuer))
        .expect("the authority signs it");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .expect("key and certificate belong together");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).expect("the configuration is good");
            // A client that does not trust the certificate hangs up.
            thread::spawn(move || answer(StreamOwned::new(connection, stream)));
        }
    });
    (port, authority_certificate.pem())
}

fn answer(mut stream: impl Read + Write) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let Some(key) = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")) else {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")?;
        return stream.flush();
    };
    let hash = Sha1::new().chain_update(key).chain_update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11").finalize();
    let accept = base64::engine::general_purpose::STANDARD.encode(hash);
    let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    stream.write_all(format!("{upgrade}Sec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes())?;
    stream.write_all(b"\x81\x06hidden")?;
    stream.flush()?;
    let mut rest = [0];
    stream.read_exact(&mut rest)
}

fn lua(port: u16) -> String {
    format!(
        "local r, why = http.get('https://localhost:{port}/') print(r and r.readAll(), why)
        local s, why = http.websocket('wss://localhost:{port}/') print(s and s.receive(), why)
        local r, why = http.get('https://127.0.0.1:{port}/') print(r and r.readAll(), why) os.shutdown()"
    )
}

#[test]
fn a_server_whose_authority_is_named_is_trusted_for_its_name_only() {
    let (port, authority) = serve();
    let context = TestContext::new();
    context.write("authority.pem", &authority);
    let output = context
        .command()
        .arg("--certificates")
        .arg(context.path().join("authority.pem"))
        .args(["--exec", &lua(port)])
        .output()
        .expect("the program runs");
    let printed = text(&output.stdout);
    assert!(printed.contains("secret\tnil\nhidden\tnil\n"), "{output:?}");
    assert!(
        printed.lines().last().is_some_and(|line| line.starts_with("nil\tSSL connection failed")),
        "{printed}"
    );
}

#[test]
fn an_unknown_authority_is_refused() {
    let (port, _) = serve();
    let printed = TestContext::new().exec(&lua(port));
    assert_eq!(printed.matches("SSL connection failed").count(), 3, "{printed}");
}

#[test]
fn certificates_that_cannot_be_read_are_an_error() {
    let context = TestContext::new();
    context.write("none.pem", "nothing");
    for file in ["none.pem", "missing.pem"] {
        let path = context.path().join(file);
        let output = context.command().arg("--certificates").arg(&path).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(file), "{output:?}");
    }
}
