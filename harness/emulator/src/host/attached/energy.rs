//! A store of energy, which programs fill and empty themselves.

use super::super::Arguments;
use super::{Attachment, Peripheral};
use crate::lua::{Call, NativeResult, Raise};

/// What it holds unless another figure is given.
const CAPACITY: f64 = 1e9;

const METHODS: &[&str] = &["getEnergy", "getEnergyCapacity", "setEnergy"];

#[derive(Debug)]
pub struct Energy {
    held: f64,
    capacity: f64,
}

impl Energy {
    /// With the capacity that stands in the third argument.
    pub fn new(call: &Call<'_>) -> Result<Self, Raise> {
        Ok(Self { held: 0.0, capacity: call.float_or(3, CAPACITY)?.floor().max(0.0) })
    }
}

impl Peripheral for Energy {
    fn types(&self) -> Vec<&str> {
        vec!["energy", "energy_storage"]
    }

    fn methods(&self) -> Vec<&str> {
        METHODS.to_vec()
    }

    fn call(&mut self, _at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "getEnergy" => call.push(self.held),
            "getEnergyCapacity" => call.push(self.capacity),
            _ => self.held = call.float(1)?.floor().clamp(0.0, self.capacity),
        }
        Ok(())
    }
}
