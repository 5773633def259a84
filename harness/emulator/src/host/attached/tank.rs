//! Tanks with fluids, which move between those of one computer.

use super::super::{Arguments, Host};
use super::Attached;
use crate::lua::{Call, NativeResult, Raise, Table, Value};

/// What a tank holds unless another figure is given.
const CAPACITY: f64 = 256.0;
/// More tanks than any machine has.
const MOST_TANKS: f64 = 1024.0;
/// Names are kept outside of Lua's memory, which is counted; no fluid's is longer.
const LONGEST_NAME: usize = 256;

pub const METHODS: &[&str] = &["addFluid", "pullFluid", "pushFluid", "removeFluid", "tanks"];

#[derive(Debug, Clone, PartialEq)]
struct Fluid {
    name: Vec<u8>,
    amount: f64,
}

impl Fluid {
    fn to_value(&self) -> Value {
        let mut table = Table::default();
        table.set("amount", self.amount);
        table.set("name", Value::String(self.name.clone()));
        Value::list([Value::Table(table)])
    }
}

#[derive(Debug)]
pub struct Tank {
    tanks: Vec<Option<Fluid>>,
    capacity: f64,
}

impl Tank {
    /// With the number of tanks and the capacity of each that stand in the third and fourth arguments.
    pub fn new(call: &Call<'_>) -> Result<Self, Raise> {
        let count = call.float_or(3, 1.0)?.floor().clamp(1.0, MOST_TANKS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was just clamped")]
        let tanks = vec![None; count as usize];
        Ok(Self { tanks, capacity: call.float_or(4, CAPACITY)?.floor().max(0.0) })
    }

    /// Adds to the first tank that has room for all of it, else as much as there is room for.
    fn add(&mut self, name: &[u8], amount: f64) -> f64 {
        let name = &name[..name.len().min(LONGEST_NAME)];
        let capacity = self.capacity;
        let room = |tank: &Option<Fluid>| match tank {
            None => capacity,
            Some(fluid) if fluid.name == name => capacity - fluid.amount,
            Some(_) => 0.0,
        };
        let whole = self.tanks.iter().position(|tank| room(tank) >= amount);
        let mut left = amount;
        for index in whole.map_or(0..self.tanks.len(), |index| index..index + 1) {
            let added = room(&self.tanks[index]).min(left);
            if added > 0.0 {
                let empty = Fluid { name: name.to_vec(), amount: 0.0 };
                self.tanks[index].get_or_insert(empty).amount += added;
                left -= added;
            }
        }
        amount - left
    }

    /// Takes out up to that much of one fluid, or of whatever comes first.
    fn take(&mut self, name: Option<&[u8]>, amount: f64) -> Option<Fluid> {
        let fits = |tank: &&mut Option<Fluid>| {
            tank.as_ref().is_some_and(|fluid| name.is_none_or(|name| fluid.name == name))
        };
        let slot = self.tanks.iter_mut().find(fits)?;
        let fluid = slot.as_mut()?;
        let taken = Fluid { name: fluid.name.clone(), amount: fluid.amount.min(amount) };
        fluid.amount -= taken.amount;
        if fluid.amount <= 0.0 {
            *slot = None;
        }
        (taken.amount > 0.0).then_some(taken)
    }

    pub fn call(&mut self, host: &mut Host, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "tanks" => {
                let empty = || Value::Table(Table::default());
                let tanks = self.tanks.iter().map(|tank| tank.as_ref().map_or_else(empty, Fluid::to_value));
                call.push(Value::list(tanks));
            }
            "addFluid" => {
                let amount = call.float(2)?.floor().max(0.0);
                let added = self.add(&call.text(1)?, amount);
                call.push(added);
            }
            "removeFluid" => {
                let (name, amount) = (call.text_or_nil(1)?, call.float_or(2, f64::MAX)?.floor());
                let taken = if call.is_empty() { None } else { self.take(name.as_deref(), amount) };
                call.push(taken.map_or_else(|| Value::Table(Table::default()), |fluid| fluid.to_value()));
            }
            "pushFluid" => self.exchange(host, call, true)?,
            _ => self.exchange(host, call, false)?,
        }
        Ok(())
    }

    /// Moves fluid to or from another tank on this computer.
    fn exchange(&mut self, host: &mut Host, call: &mut Call<'_>, push: bool) -> NativeResult {
        let other = String::from_utf8_lossy(&call.text(1)?).into_owned();
        let limit = call.float_or(2, f64::MAX)?.floor().max(0.0);
        let name = call.text_or_nil(3)?;
        let moved = host.with_peripheral(&other, |peripheral, _| match peripheral {
            Attached::Tank(tank) if push => Some(transfer(self, tank, name.as_deref(), limit)),
            Attached::Tank(tank) => Some(transfer(tank, self, name.as_deref(), limit)),
            _ => None,
        });
        let moved = moved
            .ok_or_else(|| Raise::new(format!("Target '{other}' does not exist")))?
            .ok_or_else(|| Raise::new(format!("Target '{other}' is not a tank")))?;
        call.push(moved);
        Ok(())
    }
}

fn transfer(from: &mut Tank, to: &mut Tank, name: Option<&[u8]>, limit: f64) -> f64 {
    let Some(fluid) = from.take(name, limit) else { return 0.0 };
    let moved = to.add(&fluid.name, fluid.amount);
    // What found no room goes back to where it came from, which has that much.
    from.add(&fluid.name, fluid.amount - moved);
    moved
}
