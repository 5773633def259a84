//! Requests and sockets against servers of the test's own, on ports of the system's choice.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::context::TestContext;

/// Answers each connection with what `answer` makes of the request's head; returns the port.
fn serve(answer: impl Fn(&str, u16) -> Vec<u8> + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = respond(stream, port, &answer);
        }
    });
    port
}

fn respond(mut stream: TcpStream, port: u16, answer: &impl Fn(&str, u16) -> Vec<u8>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    head.push_str(&String::from_utf8_lossy(&body));
    stream.write_all(&answer(&head, port))
}

fn page(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

#[test]
fn requests_carry_bodies_and_headers_and_follow_redirects() {
    let port = serve(|head, port| match head.split(' ').nth(1) {
        Some("/moved") => page("302 Found", &format!("Location: http://127.0.0.1:{port}/end\r\n"), ""),
        Some("/loop") => page("302 Found", "Location: /loop\r\n", ""),
        Some("/missing") => page("404 Not Found", "", "gone"),
        Some("/chunks") => {
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".to_vec()
        }
        _ => page("200 OK", "X-Case: Kept\r\n", head),
    });
    let printed = TestContext::new().exec(&format!(
        "local u = 'http://127.0.0.1:{port}'
        local r = http.post(u .. '/echo', 'data', {{ ['X-Own'] = 'yes' }}) local all = r.readAll()
        print(r.getResponseCode(), r.getResponseHeaders()['X-Case'], all:find('X-Own: yes', 1, true) ~= nil, all:sub(-4))
        print(http.get(u .. '/moved').readLine()) print(http.get(u .. '/loop'))
        local r, why, bad = http.get(u .. '/missing') print(r, why, bad.readAll(), bad.getResponseCode())
        print(http.get(u .. '/chunks').readAll()) print(http.get('http://127.0.0.1:1/')) os.shutdown()"
    ));
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "200\tKept\ttrue\tdata");
    assert_eq!(lines[1], "GET /end HTTP/1.1");
    assert_eq!(lines[2], "nil\tToo many redirects\tnil");
    assert_eq!(lines[3], "nil\tNot Found\tgone\t404");
    assert_eq!(lines[4], "abcde");
    assert!(lines[5].starts_with("nil\tConnection refused"), "{printed}");
}

#[test]
fn denied_addresses_stay_denied_after_a_redirect_and_through_names() {
    let port = serve(|_, _| page("200 OK", "", "reached"));
    let redirecting =
        serve(move |_, _| page("302 Found", &format!("Location: http://localhost:{port}/\r\n"), ""));
    let context = TestContext::new();
    let lua = format!(
        "print(http.get('http://127.0.0.1:{port}/')) print(http.get('http://localhost:{port}/'))
        print(http.get('http://127.0.0.1:{redirecting}/')) print(http.get('http://2130706433:{port}/')) os.shutdown()"
    );
    let output =
        context.command().args(["--profile", "game", "--exec", &lua]).output().expect("the program runs");
    let printed = crate::context::text(&output.stdout);
    assert_eq!(printed.matches("Domain not permitted").count(), 4, "{printed}");

    context.settings(&format!(
        r#"{{"http_whitelist": ["127.0.0.1"], "http_blacklist": ["localhost"], "x": {port}}}"#
    ));
    let output = context.command().args(["--exec", &lua]).output().expect("the program runs");
    let printed = crate::context::text(&output.stdout);
    assert_eq!(printed.matches("Domain not permitted").count(), 2, "{printed}");
}

#[test]
fn http_can_be_turned_off() {
    let context = TestContext::new();
    context.settings(r#"{"http_enable": false, "default_computer_settings": "motd.enable=false,bios.use_multishell=false"}"#);
    assert_eq!(context.exec("print(http) os.shutdown()"), "nil\n");
}

/// A server that echoes messages until it is told to close.
fn echo_server() -> u16 {
    use base64::Engine as _;
    use sha1::{Digest as _, Sha1};
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let session = |stream: TcpStream| -> std::io::Result<()> {
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            reader.read_line(&mut head)?;
        }
        if head.starts_with("GET /refuse") {
            return writer.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        }
        let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
        let hash =
            Sha1::new().chain_update(key).chain_update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11").finalize();
        let accept = base64::engine::general_purpose::STANDARD.encode(hash);
        let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        writer.write_all(format!("{upgrade}Sec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes())?;
        loop {
            let mut start = [0; 2];
            reader.read_exact(&mut start)?;
            let length = match start[1] & 0x7F {
                126 => {
                    let mut bytes = [0; 2];
                    reader.read_exact(&mut bytes)?;
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    reader.read_exact(&mut bytes)?;
                    u64::from_be_bytes(bytes)
                }
                short => short.into(),
            };
            let mut mask = [0; 4];
            reader.read_exact(&mut mask)?;
            let mut payload = vec![0; usize::try_from(length).expect("messages are small")];
            reader.read_exact(&mut payload)?;
            for (byte, key) in payload.iter_mut().zip(mask.iter().cycle()) {
                *byte ^= key;
            }
            match (start[0] & 0x0F, &payload[..]) {
                (8, _) => return writer.write_all(&[0x88, 0]),
                (_, b"close") => writer.write_all(b"\x88\x0a\x0f\xa0replaced")?,
                (_, b"parts") => writer.write_all(b"\x01\x02ab\x89\x01p\x80\x02cd")?,
                (_, b"leave") => return Ok(()),
                (_, b"leave in a frame") => return writer.write_all(b"\x81\x05he"),
                (_, b"large") => writer.write_all(&[0x81, 127, 0, 0, 0, 0, 0, 2, 0, 1])?,
                (opcode, payload) => {
                    let mut frame = vec![0x80 | opcode, 127];
                    frame.extend((payload.len() as u64).to_be_bytes());
                    frame.extend(payload);
                    writer.write_all(&frame)?;
                }
            }
        }
    };
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || session(stream));
        }
    });
    port
}

#[test]
fn sockets_carry_every_byte_both_ways() {
    let port = echo_server();
    let printed = TestContext::new().exec(&format!(
        "local u = 'ws://127.0.0.1:{port}/' local s = http.websocket(u)
        local all = {{}} for i = 0, 255 do all[#all + 1] = string.char(i) end all = table.concat(all)
        s.send(all) local got, binary = s.receive() print(got == all, binary)
        s.send(all, true) local got, binary = s.receive() print(got == all, binary)
        local big = ('x'):rep(131072) s.send(big) print(#s.receive()) print(pcall(s.send, big .. 'x'))
        s.send('parts') print(s.receive()) print(s.receive(0.05))
        s.send('close') print(os.pullEvent('websocket_closed')) print(pcall(s.send, 'x'))
        print(http.websocket(u .. 'refuse')) print(http.websocket('ws://127.0.0.1:1/'))
        local s = http.websocket({{ url = u, headers = {{ A = 'b' }} }}) s.send('large') print(os.pullEvent('websocket_closed'))
        os.shutdown()"
    ));
    let lines: Vec<&str> = printed.lines().collect();
    let url = format!("ws://127.0.0.1:{port}/");
    assert_eq!(
        lines[..4],
        ["true\tfalse", "true\ttrue", "131072", "false\tMessage is too large"],
        "{printed}"
    );
    assert_eq!(lines[4..6], ["abcd\tfalse", "nil"]);
    assert_eq!(lines[6], format!("websocket_closed\t{url}\treplaced\t4000"));
    assert_eq!(lines[7], "false\tattempt to use a closed file");
    assert_eq!(lines[8], "false\tWebSocket Exception: Cannot upgrade to WebSocket connection: Forbidden");
    assert_eq!(lines[9], "false\tConnection refused");
    assert_eq!(lines[10], format!("websocket_closed\t{url}\tPayload too big\t1006"));
}

#[test]
fn a_server_that_leaves_without_a_word_is_told_from_one_that_breaks_off() {
    let port = echo_server();
    let printed = TestContext::new().exec(&format!(
        "local u = 'ws://127.0.0.1:{port}/'
        for _, how in ipairs({{ 'leave', 'leave in a frame' }}) do
            local s = http.websocket(u) s.send(how) local event = table.pack(os.pullEvent('websocket_closed'))
            print(event.n, event[3], event[4])
        end
        os.shutdown()"
    ));
    assert_eq!(printed, "2\tnil\tnil\n4\tIncomplete frame received\t1006\n");
}

#[test]
fn a_computer_has_four_sockets_and_gets_them_back() {
    let port = echo_server();
    let printed = TestContext::new().exec(&format!(
        "local u = 'ws://127.0.0.1:{port}/' local all = {{}}
        for i = 1, 4 do all[i] = http.websocket(u .. i) end print(pcall(http.websocket, u .. 5))
        all[1].close()
        local ok, socket repeat ok, socket = pcall(http.websocket, u .. 6) if not ok then sleep(0.01) end until ok
        print(type(socket)) os.shutdown()"
    ));
    assert!(
        printed.contains("Too many websockets already open") && printed.ends_with("table\n"),
        "{printed}"
    );
}

#[test]
fn a_computer_that_turns_off_closes_its_sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let server = thread::spawn(move || {
        use base64::Engine as _;
        use sha1::{Digest as _, Sha1};
        let (stream, _) = listener.accept().expect("somebody connects");
        let mut reader = BufReader::new(stream.try_clone().expect("it is open"));
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            reader.read_line(&mut head).expect("it is open");
        }
        let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
        let hash =
            Sha1::new().chain_update(key).chain_update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11").finalize();
        let accept = base64::engine::general_purpose::STANDARD.encode(hash);
        let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        (&stream)
            .write_all(format!("{upgrade}Sec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes())
            .expect("it is open");
        let mut frame = Vec::new();
        reader.read_to_end(&mut frame).expect("it ends");
        frame
    });
    let context = TestContext::new();
    context.exec(&format!("http.websocket('ws://127.0.0.1:{port}/') os.shutdown()"));
    let frame = server.join().expect("the server ends");
    assert_eq!(frame.first(), Some(&0x88), "a close frame: {frame:?}");
}

#[test]
fn a_computer_may_send_a_thousand_messages_before_it_reads_the_answers() {
    let port = echo_server();
    let printed = TestContext::new().exec(&format!(
        "local s = http.websocket('ws://127.0.0.1:{port}/') for i = 1, 2000 do s.send('message ' .. i) end
        for i = 1, 2000 do local m = s.receive(5) if m ~= 'message ' .. i then print('lost', i, m) break end end
        print('done') os.shutdown()"
    ));
    assert_eq!(printed, "done\n");
}

#[test]
fn responses_that_are_held_are_bounded() {
    let port = serve(|_, _| page("200 OK", "", &"x".repeat(3_000_000)));
    let context = TestContext::new();
    context.settings(
        r#"{"memoryLimit": 8000000, "default_computer_settings": "motd.enable=false,bios.use_multishell=false"}"#,
    );
    let printed = context.exec(&format!(
        "local u = 'http://127.0.0.1:{port}/'
        for i = 1, 8 do http.request(u .. i) end
        local held, failed, why = {{}}, 0, nil
        while #held + failed < 8 do
            local event, url, value = os.pullEvent()
            if event == 'http_success' then held[#held + 1] = value end
            if event == 'http_failure' then failed, why = failed + 1, value end
        end
        print(#held <= 2, why)
        for _, handle in ipairs(held) do handle.close() end
        print(#http.get(u).readAll())
        -- Those that nobody uses any more are found.
        for i = 1, 6 do http.get(u) end
        print(http.get(u) ~= nil)
        os.shutdown()"
    ));
    assert_eq!(printed, "true\tResponse is too large\n3000000\ntrue\n");
}

#[test]
fn gists_are_got_and_run_by_their_files() {
    let context = TestContext::new();
    context.write(
        "computer/0/startup.lua",
        r#"local api = http
        function api.get(url)
            print(url)
            local files = { ["a.md"] = { content = "words" }, ["b.lua"] = { content = "print('b', ...)" } }
            local answer = textutils.serialiseJSON({ files = files })
            return { readAll = function() return answer end, close = function() end }
        end
        print(require("cc.http.gist").get("abc/a.md"))
        shell.run("gist run abc 5") shell.run("gist get abc/a.md kept") shell.run("type kept") os.shutdown()"#,
    );
    let output = context.command().output().expect("the program runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let url = "https://api.github.com/gists/abc\n";
    assert!(printed.contains(&format!("{url}words\ta.md\n")), "{printed}");
    assert!(printed.contains("Success.\nb\t5\n"), "{printed}");
    assert!(printed.contains("Downloaded as kept\nfile\n"), "{printed}");
    assert_eq!(context.read("computer/0/kept"), "words");
}
