//! `periphemu`: attaching and taking off peripherals.

use super::attached::{
    Attached, Attachment, Chest, Device, Drive, Energy, Modem, Monitor, Peripheral, RemoteComputer, Speaker,
    Tank,
};
use super::{Arguments, Host};
use crate::airwaves::Medium;
use crate::lua::{Call, Native, NativeResult, Raise, Value};

/// More than any computer has around it; each takes memory that is not Lua's.
const MOST_PERIPHERALS: usize = 1024;

/// Names are kept outside of Lua's memory, which is counted; no side's is longer.
const LONGEST_NAME: usize = 256;

/// Programs cannot make more computers than this in one process.
const MOST_COMPUTERS: usize = 4096;

/// What can be attached.
const NAMES: &[&str] = &[
    "minecraft:chest",
    "chest",
    "energy",
    "drive",
    "modem",
    "wireless_modem",
    "tank",
    "computer",
    "monitor",
    "speaker",
];

fn names(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(Value::list(NAMES.iter().map(|name| Value::from(*name))));
    Ok(())
}

fn refuse(call: &mut Call<'_>, reason: String) {
    call.push(false);
    call.push(reason);
}

fn create(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = call.bytes(1).ok_or_else(|| call.unexpected(1, "string or number"))?;
    let mut name = String::from_utf8_lossy(&side).into_owned();
    let kind = String::from_utf8_lossy(&call.text(2)?).into_owned();
    if !NAMES.contains(&kind.as_str()) {
        refuse(call, format!("No peripheral named {kind}"));
        return Ok(());
    }
    if kind == "computer" {
        let id = RemoteComputer::id_of(&name).ok_or_else(|| {
            Raise::new(
                "Error while creating peripheral: \"side\" parameter must be a number (the computer's ID)",
            )
        })?;
        name = format!("computer_{id}");
    }
    if name.len() > LONGEST_NAME {
        refuse(call, "Name is too long".to_owned());
        return Ok(());
    }
    if host.has_peripheral(&name) {
        refuse(call, format!("Peripheral already attached on side {name}"));
        return Ok(());
    }
    if host.peripherals.len() >= MOST_PERIPHERALS {
        refuse(call, "Too many peripherals".to_owned());
        return Ok(());
    }
    let peripheral = match kind.as_str() {
        "modem" | "wireless_modem" => {
            let medium = if kind == "modem" { Medium::Cable(network(call)?) } else { Medium::Air };
            host.world.airwaves().add(host.shared.clone(), &name, medium);
            Attached::Modem(Modem { medium })
        }
        "drive" => Attached::Drive(Drive::default()),
        "energy" => device(host, &name, Energy::new(call)?),
        "tank" => Attached::Tank(Tank::new(call)?),
        "monitor" => device(host, &name, Monitor::default()),
        "speaker" => device(host, &name, Speaker),
        "computer" => {
            let id = RemoteComputer::id_of(&name).unwrap_or_default();
            if host.world.find(id).is_none() && host.world.computers().len() >= MOST_COMPUTERS {
                return Err(Raise::new("Error while creating peripheral: too many computers"));
            }
            // Why is for the host to know: it has paths in it.
            host.world
                .boot_if_off(id)
                .map_err(|_| Raise::new("Error while creating peripheral: the computer does not start"))?;
            Attached::Computer(RemoteComputer { id })
        }
        _ => Attached::Chest(Chest::new(call.truthy(3))),
    };
    host.peripherals.insert(name.clone(), peripheral);
    host.queue_event(vec!["peripheral".into(), name.into()]);
    call.push(true);
    Ok(())
}

fn device(host: &Host, name: &str, peripheral: impl Peripheral + 'static) -> Attached {
    Attached::Device(Device::new(peripheral, Attachment::new(name, &host.shared)))
}

/// The cable that a wired modem hangs on: all on one unless a number is given.
fn network(call: &Call<'_>) -> Result<u32, Raise> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "any number names a cable")]
    call.float_or(3, 0.0).map(|number| number as u32)
}

fn remove(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = String::from_utf8_lossy(&call.text(1)?).into_owned();
    let removed = host.peripherals.remove(&name);
    let found = removed.is_some();
    if let Some(mut peripheral) = removed {
        peripheral.detach(host, &name);
        host.queue_event(vec!["peripheral_detach".into(), name.into()]);
    }
    call.push(found);
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "create", run: create },
    Native { name: "names", run: names },
    Native { name: "remove", run: remove },
];
