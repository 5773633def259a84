//! Runs every file of `attacks/`: on one computer the attack, beside it in the same process a bystander that must go on
//! answering. `attacks/README.md` says what a file's head may demand.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use sha1::{Digest as _, Sha1};

use crate::context::TestContext;

/// So long the bystander has for one answer: only an emulator that hangs reaches it.
const PATIENCE: Duration = Duration::from_secs(120);
/// The bystander answers at most a hundred times a second of what the emulator gets of the machine: an attack that goes on
/// for so many answers does not end.
const MOST_ANSWERS: u32 = 20_000;
/// Most of them wait for a limit of time rather than for the processor.
const AT_ONCE: usize = 4;
/// How often the bystander's answer is looked for.
const PACE: Duration = Duration::from_millis(5);
/// What a failure shows of each stream.
const SHOWN: usize = 2000;
/// Fewer files than this mean that some are not found.
const FEWEST: usize = 100;

/// Waits for the test's word, then attacks.
const ATTACKER: &str = r#"
while not fs.exists("/go") do sleep(0.01) end
local attack, message = loadfile("/attack.lua", nil, _ENV)
if not attack then error(message, 0) end
attack()
os.shutdown()
"#;

/// Answers every question of the test with the question and whether the attacker still runs.
const BYSTANDER: &str = r#"
-- Its own work takes memory too.
local work = ("x"):rep(2000000)
periphemu.create(0, "computer")
periphemu.create("top", "modem")
local modem = peripheral.wrap("top")
modem.open(1)
local heard, answered = 0, nil
local timer = os.startTimer(0)
while true do
    local event, id = os.pullEvent()
    if event == "modem_message" then heard = heard + 1 end
    if event == "timer" and id == timer then
        timer = os.startTimer(0.01)
        local file = fs.open("/ask", "r")
        local question = file and file.readAll() or ""
        if file then file.close() end
        if question == "end" then os.shutdown() end
        if question ~= "" and question ~= answered then
            answered = question
            local on = peripheral.call("computer_0", "isOn")
            local text = fs.open("/answer.new", "w")
            text.write(question .. " " .. (on and #work > 0 and "on" or "off"))
            text.close()
            fs.delete("/answer")
            fs.move("/answer.new", "/answer")
        end
    end
end
"#;

/// What the head of an attack demands.
#[derive(Debug, Default)]
struct Demand {
    /// Lines that it prints, all of them, in order.
    prints: Vec<String>,
    /// What the message contains that turns it off.
    error: Option<String>,
    settings: Option<String>,
    arguments: Vec<String>,
    /// The most memory that the process may have taken, in MiB.
    memory: Option<usize>,
}

impl Demand {
    fn of(text: &str) -> Result<Self, String> {
        let mut demand = Self::default();
        for line in text.lines().take_while(|line| line.starts_with("--")) {
            let line = line.trim_start_matches('-').trim();
            if let Some(printed) = line.strip_prefix("prints:") {
                demand.prints.push(printed.trim().to_owned());
            } else if let Some(error) = line.strip_prefix("error:") {
                demand.error = Some(error.trim().to_owned());
            } else if let Some(json) = line.strip_prefix("settings:") {
                demand.settings = Some(json.trim().to_owned());
            } else if let Some(words) = line.strip_prefix("arguments:") {
                demand.arguments = words.split_whitespace().map(str::to_owned).collect();
            } else if let Some(most) = line.strip_prefix("memory:") {
                demand.memory =
                    Some(most.trim().trim_end_matches(" MiB").parse().map_err(|_| line.to_owned())?);
            }
        }
        if demand.prints.is_empty() && demand.error.is_none() {
            return Err("its head says neither what it prints nor how it ends".to_owned());
        }
        Ok(demand)
    }
}

fn attacks() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let mut found = Vec::new();
    for class in fs::read_dir(&folder).expect("the attacks are there").flatten() {
        let files = fs::read_dir(class.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        found.extend(files.filter(|path| path.extension().is_some_and(|end| end == "lua")));
    }
    let only = std::env::var("ATTACK").ok();
    found.retain(|path| only.as_ref().is_none_or(|only| path.to_string_lossy().contains(only.as_str())));
    assert!(only.is_some() || found.len() >= FEWEST, "{} attacks are there", found.len());
    found.sort();
    found
}

/// Kills the emulator of an attack that failed.
struct Emulator(Child);

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks the bystander until it answers; whether the attacker runs.
fn ask(context: &TestContext, emulator: &mut Emulator, number: &mut u32) -> Result<bool, String> {
    *number += 1;
    let since = Instant::now();
    let folder = context.path().join("computer/1");
    fs::write(folder.join("ask.new"), number.to_string()).map_err(|error| error.to_string())?;
    fs::rename(folder.join("ask.new"), folder.join("ask")).map_err(|error| error.to_string())?;
    loop {
        let answer = fs::read_to_string(folder.join("answer")).unwrap_or_default();
        if let Some((question, state)) = answer.split_once(' ')
            && question == number.to_string()
        {
            return Ok(state == "on");
        }
        if let Some(status) = emulator.0.try_wait().map_err(|error| error.to_string())? {
            return Err(format!("the emulator has ended: {status}"));
        }
        if since.elapsed() > PATIENCE {
            return Err("the bystander does not answer".to_owned());
        }
        thread::sleep(PACE);
    }
}

/// The most memory that a process ever had, in MiB.
fn peak(process: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? / 1024)
}

/// The settings of an attack over those of all. Without a time of its own an attack is not stopped by time, however busy the
/// machine is.
fn settings(own: &str) -> Result<String, String> {
    let mut settings = serde_json::json!({
        "default_computer_settings": "motd.enable=false,bios.use_multishell=false",
        "abortTimeout": 600_000,
    });
    let own: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(own).map_err(|error| format!("its settings are no JSON object: {error}"))?;
    settings.as_object_mut().expect("it is an object").extend(own);
    Ok(settings.to_string())
}

fn run(path: &Path, port: u16) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let demand = Demand::of(&text)?;
    let context = TestContext::new();
    context.settings(&settings(demand.settings.as_deref().unwrap_or("{}"))?);
    context.write("computer/0/startup.lua", ATTACKER);
    context.write("computer/0/attack.lua", &text);
    context.write("computer/0/port", &port.to_string());
    context.write("computer/1/startup.lua", BYSTANDER);
    context.write("computer/1/secret", "the bystander's own");
    context.write("outside", "not for computers");
    link_out(&context);
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"));
    command.args(["--headless", "-i", "0,1", "-d"]).arg(context.path()).args(&demand.arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut emulator = Emulator(command.spawn().map_err(|error| error.to_string())?);
    let mut output = emulator.0.stdout.take().expect("it is piped");
    let mut errors = emulator.0.stderr.take().expect("it is piped");
    let output = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = errors.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let outcome = watch(&context, &mut emulator, &demand);
    if outcome.is_err() {
        let _ = emulator.0.kill();
    }
    let status = emulator.0.wait().map_err(|error| error.to_string())?;
    let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
    let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
    let shown = format!("{status}\nstdout: {}\nstderr: {}", shown(&output), shown(&errors));
    outcome.map_err(|problem| format!("{problem}\n{shown}"))?;
    // Greetings and prompts of the computers, and the spaces that some attacks write.
    let is_own = |line: &&str| !line.trim().is_empty() && !line.starts_with("CraftOS ") && line.trim() != ">";
    let printed: Vec<&str> = output.lines().filter(is_own).collect();
    // An error that ends the attack is shown as well.
    if demand.error.is_none() && printed != demand.prints {
        return Err(format!("it must print {:?}\n{shown}", demand.prints));
    }
    let own = errors.lines().find_map(|line| line.strip_prefix("computer 0: "));
    match (&demand.error, own) {
        (None, None) => {}
        (Some(wanted), Some(found)) if found.contains(wanted.as_str()) => {}
        (wanted, _) => return Err(format!("it must end with {wanted:?}\n{shown}")),
    }
    if status.code() != Some(i32::from(demand.error.is_some())) {
        return Err(format!("the bystander must turn off by itself\n{shown}"));
    }
    Ok(())
}

/// Lets the attack begin once the bystander has answered, and asks on until the attack has ended and once more.
fn watch(context: &TestContext, emulator: &mut Emulator, demand: &Demand) -> Result<(), String> {
    let mut number = 0;
    ask(context, emulator, &mut number)?;
    context.write("computer/0/go", "");
    while ask(context, emulator, &mut number)? {
        if number > MOST_ANSWERS {
            return Err("the attack does not end".to_owned());
        }
    }
    ask(context, emulator, &mut number)?;
    let peak = peak(emulator.0.id());
    if let (Some(most), Some(peak)) = (demand.memory, peak)
        && peak > most
    {
        return Err(format!("the process took {peak} MiB"));
    }
    let folder = context.path().join("computer/1");
    fs::write(folder.join("ask.new"), "end").map_err(|error| error.to_string())?;
    fs::rename(folder.join("ask.new"), folder.join("ask")).map_err(|error| error.to_string())?;
    let since = Instant::now();
    while emulator.0.try_wait().map_err(|error| error.to_string())?.is_none() {
        if since.elapsed() > PATIENCE {
            return Err("the bystander does not turn off".to_owned());
        }
        thread::sleep(PACE);
    }
    Ok(())
}

/// Links that lead out of the attacker's folder.
fn link_out(context: &TestContext) {
    #[cfg(unix)]
    for (name, target) in [("link-to-file", "outside"), ("link-to-folder", "")] {
        let link = context.path().join("computer/0").join(name);
        std::os::unix::fs::symlink(context.path().join(target), link).expect("a link can be made");
    }
    #[cfg(not(unix))]
    let _ = context;
}

/// A server for the attacks on the network: each path is a way to misbehave.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream, port));
        }
    });
    port
}

/// What proves to a computer that a socket is one.
fn accept_key(head: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    let hash = Sha1::new().chain_update(key).chain_update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11").finalize();
    base64::engine::general_purpose::STANDARD.encode(hash)
}

fn answer(mut stream: TcpStream, port: u16) -> Option<()> {
    let mut head = Vec::new();
    let mut bytes = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut bytes).ok().filter(|count| *count > 0)?;
        head.extend_from_slice(&bytes[..count]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split_whitespace().nth(1)?;
    let redirect = |to: String| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    let answer = match path {
        "/to-denied" => redirect(format!("http://127.0.0.2:{port}/")),
        "/to-file" => redirect("file:///etc/passwd".to_owned()),
        "/round" => redirect(format!("http://127.0.0.1:{port}/round")),
        "/huge-length" => "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx".to_owned(),
        "/endless" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
            let piece = vec![b'x'; 64 * 1024];
            while stream.write_all(&piece).is_ok() {}
            return None;
        }
        "/many-headers" => {
            let mut text = "HTTP/1.1 200 OK\r\n".to_owned();
            for number in 0..100_000 {
                let _ = write!(text, "X-{number}: y\r\n");
            }
            text + "\r\n"
        }
        "/deaf" => {
            // A socket opens, and nobody ever reads from it.
            let accept = accept_key(&head);
            let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
            let _ = write!(stream, "{upgrade}Sec-WebSocket-Accept: {accept}\r\n\r\n");
            loop {
                thread::park();
            }
        }
        "/garbage" => "\0\u{1}\u{2}not HTTP\r\n\r\n".to_owned(),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
    };
    stream.write_all(answer.as_bytes()).ok()
}

#[test]
fn no_attack_gets_out_or_harms_the_bystander() {
    let port = serve();
    let left = Mutex::new(VecDeque::from(attacks()));
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no thread panics while it holds the list").pop_front();
                    let Some(attack) = next else { break };
                    let since = Instant::now();
                    let outcome = run(&attack, port);
                    println!("{:?} {}", since.elapsed(), attack.display());
                    if let Err(problem) = outcome {
                        let text = format!("{}: {problem}", attack.display());
                        failed.lock().expect("no thread panics while it holds the list").push(text);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panics while it holds the list");
    assert!(failed.is_empty(), "{} attacks went through:\n\n{}", failed.len(), failed.join("\n\n"));
}
