//! A modem, wired or wireless.

use super::super::{Arguments, Host};
use super::{Attached, RemoteComputer};
use crate::airwaves::Medium;
use crate::lua::{Call, NativeResult, Raise, Value};
use crate::world::ROOM;

const CHANNELS: f64 = 65_535.0;

const WIRELESS: &[&str] = &["close", "closeAll", "isOpen", "isWireless", "open", "transmit"];
const WIRED: &[&str] = &[
    "callRemote",
    "close",
    "closeAll",
    "getMethodsRemote",
    "getNameLocal",
    "getNamesRemote",
    "getTypeRemote",
    "hasTypeRemote",
    "isOpen",
    "isPresentRemote",
    "isWireless",
    "open",
    "transmit",
];

#[derive(Debug)]
pub struct Modem {
    pub medium: Medium,
}

fn channel(call: &Call<'_>, index: usize) -> Result<u16, Raise> {
    let number = call.float(index)?;
    if !(0.0..=CHANNELS).contains(&number) {
        return Err(Raise::new(format!("bad argument #{index} (channel out of range)")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the range")]
    Ok(number as u16)
}

impl Modem {
    pub fn types(&self) -> &'static [&'static str] {
        if self.medium == Medium::Air { &["modem"] } else { &["modem", "peripheral_hub"] }
    }

    pub fn methods(&self) -> &'static [&'static str] {
        if self.medium == Medium::Air { WIRELESS } else { WIRED }
    }

    pub fn call(&mut self, host: &mut Host, name: &str, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "open" => {
                let channel = channel(call, 1)?;
                let most = host.settings().size("maxOpenPorts");
                let mut airwaves = host.world.airwaves();
                let open =
                    airwaves.channels(host.id, name).ok_or_else(|| Raise::new("modem is not attached"))?;
                if !open.contains(&channel) && open.len() >= most {
                    return Err(Raise::new("Too many open channels"));
                }
                open.insert(channel);
            }
            "close" => {
                let channel = channel(call, 1)?;
                if let Some(open) = host.world.airwaves().channels(host.id, name) {
                    open.remove(&channel);
                }
            }
            "closeAll" => {
                if let Some(open) = host.world.airwaves().channels(host.id, name) {
                    open.clear();
                }
            }
            "isOpen" => {
                let channel = channel(call, 1)?;
                let open =
                    host.world.airwaves().channels(host.id, name).is_some_and(|open| open.contains(&channel));
                call.push(open);
            }
            "isWireless" => call.push(self.medium == Medium::Air),
            "transmit" => {
                // The last arguments are looked at first.
                call.float(2)?;
                if call.len() < 3 {
                    return Err(Raise::new("bad argument #3 (value expected)"));
                }
                let (to, reply) = (channel(call, 1)?, channel(call, 2)?);
                // Nobody could take it in: it is lost, like one for a listener that has fallen behind.
                if call.size(3)? > ROOM {
                    return Ok(());
                }
                let message = call.value(3)?;
                let circumstances = (host.world.faults(), host.now());
                let from = (host.id, name);
                host.world.airwaves().transmit(from, self.medium, (to, reply), &message, circumstances);
            }
            "getNameLocal" => call.push(format!("computer_{}", host.id)),
            "getNamesRemote" => {
                let names = self.remote_names(host);
                call.push(Value::list(names.into_iter().map(Value::from)));
            }
            "isPresentRemote" => {
                let wanted = call.text(1)?;
                call.push(self.has_remote(host, &String::from_utf8_lossy(&wanted)));
            }
            _ => return self.remote_call(host, method, call),
        }
        Ok(())
    }

    /// Whether it is one of the remote names: programs ask for each of them, on cables with many computers.
    fn has_remote(&self, host: &Host, name: &str) -> bool {
        let neighbour = name.strip_prefix("computer_").and_then(|id| id.parse().ok()).filter(|id: &u32| {
            // Only as it is written in the list: `computer_07` is nobody.
            name.len() == "computer_".len() + id.to_string().len()
                && host.world.airwaves().is_neighbour(host.id, self.medium, *id)
        });
        neighbour.is_some() || host.has_remote_peripheral(name)
    }

    /// Peripherals that hang on the cable: those of this computer that are not on a side, and other computers.
    fn remote_names(&self, host: &Host) -> Vec<String> {
        let mut names = host.remote_peripherals();
        for id in host.world.airwaves().neighbours(host.id, self.medium) {
            let name = format!("computer_{id}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn remote_call(&self, host: &mut Host, method: &str, call: &mut Call<'_>) -> NativeResult {
        let name = String::from_utf8_lossy(&call.text(1)?).into_owned();
        if method == "callRemote" {
            call.text(2)?;
        }
        // What is not there answers nothing.
        if !self.has_remote(host, &name) {
            return Ok(());
        }
        let mut act =
            |peripheral: &mut Attached, host: &mut Host| answer(peripheral, host, &name, method, call);
        if let Some(answered) = host.with_peripheral(&name, &mut act) {
            return answered;
        }
        // Other computers hang on the cable without being attached here.
        match RemoteComputer::id_of(&name) {
            Some(id) => act(&mut Attached::Computer(RemoteComputer { id }), host),
            None => Err(Raise::new(format!("No peripheral: {name}"))),
        }
    }
}

/// Answers one of the methods that ask about, or call, something on the cable.
fn answer(
    peripheral: &mut Attached,
    host: &mut Host,
    name: &str,
    method: &str,
    call: &mut Call<'_>,
) -> NativeResult {
    match method {
        "getTypeRemote" => {
            for kind in peripheral.types() {
                call.push(kind);
            }
        }
        "hasTypeRemote" => {
            let wanted = call.text(2)?;
            call.push(peripheral.types().iter().any(|kind| kind.as_bytes() == wanted));
        }
        "getMethodsRemote" => {
            call.push(Value::list(peripheral.methods().into_iter().map(Value::from)));
        }
        _ => {
            let remote_method = String::from_utf8_lossy(&call.text(2)?).into_owned();
            call.shift(2);
            return peripheral.call(host, name, &remote_method, call);
        }
    }
    Ok(())
}
