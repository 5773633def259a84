//! Peripherals in Rust.

use embedded_craftos::host::Arguments as _;
use embedded_craftos::lua::{Call, NativeResult, Raise, Value};
use embedded_craftos::{AttachError, Attachment, Computer, Emulator, Options, Peripheral};
use std::sync::{Arc, Mutex};

use crate::context::{TIMEOUT, TestContext};

/// A counter that says what happens to it.
#[derive(Debug, Default)]
struct Counter {
    count: f64,
    told: Arc<Mutex<Vec<String>>>,
}

impl Counter {
    fn tell(&self, what: &str, at: &Attachment) {
        self.told.lock().expect("no test panics while holding it").push(format!("{what} {}", at.name()));
    }
}

impl Peripheral for Counter {
    fn types(&self) -> Vec<&str> {
        vec!["counter", "number_storage"]
    }

    fn methods(&self) -> Vec<&str> {
        vec!["add", "fail"]
    }

    fn call(&mut self, at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult {
        if method == "fail" {
            return Err(Raise::new("it is broken"));
        }
        self.count += call.float(1)?;
        at.queue_event("counted", [Value::from(self.count)]);
        call.push(self.count);
        Ok(())
    }

    fn attached(&mut self, at: &Attachment) {
        self.tell("attached", at);
    }

    fn detached(&mut self, at: &Attachment) {
        self.tell("detached", at);
    }
}

/// A computer with the embedded ROM that runs this.
fn running(context: &TestContext, lua: &str) -> Computer {
    let mut options = Options::new(context.path());
    options.script = Some(lua.as_bytes().to_vec());
    Emulator::new(options).expect("the options are good").boot(0).expect("it starts")
}

fn ended(computer: &Computer) -> (i32, String) {
    let exit = computer.wait_timeout(TIMEOUT);
    (exit.unwrap_or_else(|| panic!("it runs on:\n{}", computer.screen_text())).code, computer.screen_text())
}

#[test]
fn programs_call_a_peripheral_in_rust_and_get_its_events() {
    let context = TestContext::new();
    let computer = running(
        &context,
        "term.clear() term.setCursorPos(1, 1)
        while not peripheral.isPresent('left') do os.pullEvent('peripheral') end
        local counter = peripheral.find('counter')
        print(peripheral.getType('left'))
        print(peripheral.hasType('left', 'number_storage'), peripheral.hasType('left', 'x'))
        print(table.concat(peripheral.getMethods('left'), ' '))
        print(counter.add(2), counter.add(40))
        print(os.pullEvent('counted'))
        print(pcall(counter.fail))
        print(pcall(counter.add, {}))
        print(pcall(peripheral.call, 'left', 'no'))
        print(periphemu.create('left', 'chest'))
        os.shutdown(3)",
    );
    computer.attach("left", Counter::default()).expect("the side is free");
    assert_eq!(computer.attach("left", Counter::default()), Err(AttachError::Taken("left".to_owned())));
    assert_eq!(computer.attach("", Counter::default()), Err(AttachError::Name(String::new())));
    let (code, screen) = ended(&computer);
    assert_eq!(code, 3, "{screen}");
    let expected = "counter\tnumber_storage\ntrue\tfalse\nadd fail\n2\t42\ncounted\tleft\t2\n";
    let expected: Vec<&str> = expected.split_whitespace().collect();
    let shown: Vec<&str> = screen.split_whitespace().collect();
    assert!(shown.starts_with(&expected), "{screen}");
    for error in ["it is broken", "expected number, got table", "No such method", "already attached"] {
        assert!(shown.join(" ").contains(error), "{error}:\n{screen}");
    }
}

#[test]
fn a_peripheral_in_rust_is_taken_off_and_stays_through_a_reboot() {
    let context = TestContext::new();
    let computer = running(
        &context,
        "if fs.exists('/again') then
            if not peripheral.isPresent('top') then os.shutdown(1) end
            fs.open('/still', 'w').close()
            while peripheral.isPresent('top') do os.pullEvent('peripheral_detach') end
            os.shutdown(5)
        end
        while not peripheral.isPresent('top') do os.pullEvent('peripheral') end
        fs.open('/again', 'w').close()
        os.reboot()",
    );
    let told = Arc::<Mutex<Vec<String>>>::default();
    computer.attach("top", Counter { told: told.clone(), ..Counter::default() }).expect("the side is free");
    let still = context.path().join("computer/0/still");
    let deadline = std::time::Instant::now() + TIMEOUT;
    while !still.exists() && computer.is_on() && std::time::Instant::now() < deadline {
        std::thread::yield_now();
    }
    computer.detach("top").expect("it is there");
    assert_eq!(computer.detach("top"), Err(AttachError::NotThere("top".to_owned())));
    let (code, screen) = ended(&computer);
    assert_eq!(code, 5, "{screen}");
    assert_eq!(*told.lock().expect("no test panics while holding it"), ["attached top", "detached top"]);
}
