//! Another computer of this process, as a peripheral.

use super::super::Host;
use crate::lua::{Call, NativeResult, Raise, Value};

pub const METHODS: &[&str] = &["getID", "getLabel", "isOn", "reboot", "shutdown", "turnOn"];

#[derive(Debug)]
pub struct RemoteComputer {
    pub id: u32,
}

impl RemoteComputer {
    pub fn call(&mut self, host: &mut Host, method: &str, call: &mut Call<'_>) -> NativeResult {
        let other = host.world.find(self.id);
        match method {
            "getID" => call.push(self.id),
            "getLabel" => {
                if let Some(label) = other.and_then(|other| other.label()) {
                    call.push(Value::String(label));
                }
            }
            "isOn" => call.push(other.is_some_and(|other| other.is_on())),
            "turnOn" => {
                host.world.boot_if_off(self.id).map_err(|_| Raise::new("the computer does not start"))?;
            }
            "reboot" => {
                if let Some(other) = other {
                    other.reboot();
                }
            }
            _ => {
                if let Some(other) = other {
                    other.shut_down();
                }
            }
        }
        Ok(())
    }

    /// The computer with the number that stands in a name such as `5` or `computer_5`.
    pub fn id_of(name: &str) -> Option<u32> {
        name.strip_prefix("computer_").unwrap_or(name).parse().ok()
    }
}
