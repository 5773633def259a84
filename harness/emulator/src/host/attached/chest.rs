//! A chest: an inventory that programs fill with `setItem`, as the reference's does.

use std::collections::BTreeMap;

use super::super::{Arguments, Host};
use super::Peripheral;
use crate::lua::{Call, NativeResult, Raise, Table, Value};

const SLOTS: u32 = 27;
const STACK: u32 = 64;
/// Names are kept outside of Lua's memory, which is counted; no item's is longer.
const LONGEST_NAME: usize = 256;

pub const METHODS: &[&str] = &["getItemDetail", "list", "pullItems", "pushItems", "setItem", "size"];

#[derive(Debug, Clone, PartialEq)]
struct Item {
    name: Vec<u8>,
    count: u32,
}

/// An inventory.
#[derive(Debug, Default)]
pub struct Chest {
    items: BTreeMap<u32, Item>,
    double: bool,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "negative counts are none, larger ones are cut"
)]
fn count(number: f64) -> u32 {
    number as u32
}

impl Item {
    fn to_value(&self) -> Value {
        let mut table = Table::default();
        table.set("name", Value::String(self.name.clone()));
        table.set("count", self.count);
        Value::Table(table)
    }
}

impl Chest {
    pub fn new(double: bool) -> Self {
        Self { items: BTreeMap::new(), double }
    }

    fn size(&self) -> u32 {
        if self.double { 2 * SLOTS } else { SLOTS }
    }

    pub fn call(&mut self, host: &mut Host, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "size" => call.push(self.size()),
            "list" => {
                let entries =
                    self.items.iter().map(|(slot, item)| (Value::from(*slot), item.to_value())).collect();
                call.push(Value::Table(Table { entries }));
            }
            "getItemDetail" => {
                let slot = count(call.float(1)?);
                call.push(self.items.get(&slot).map_or(Value::Nil, Item::to_value));
            }
            "getItemLimit" => {
                call.float(1)?;
                call.push(STACK);
            }
            "setItem" => self.set_item(call)?,
            "pushItems" => self.exchange(host, call, true)?,
            _ => self.exchange(host, call, false)?,
        }
        Ok(())
    }

    fn set_item(&mut self, call: &mut Call<'_>) -> NativeResult {
        let slot = count(call.float(1)?);
        if call.type_name(2) != "table" {
            return Err(call.unexpected(2, "table"));
        }
        let Value::Table(item) = call.value(2)? else {
            return Err(call.unexpected(2, "table"));
        };
        let wrong = |name: &str, expected: &str| {
            Raise::new(format!(
                "bad field '{name}' (expected {expected}, got {})",
                item.get(name).type_name()
            ))
        };
        let Value::String(name) = item.get("name") else {
            return Err(wrong("name", "string"));
        };
        let Value::Number(number) = item.get("count") else {
            return Err(wrong("count", "number"));
        };
        let wanted = count(*number).min(STACK);
        if !(1..=self.size()).contains(&slot) {
            call.push(0_u32);
            return Ok(());
        }
        if wanted == 0 {
            self.items.remove(&slot);
        } else {
            self.items
                .insert(slot, Item { name: name[..name.len().min(LONGEST_NAME)].to_vec(), count: wanted });
        }
        call.push(wanted);
        Ok(())
    }

    /// Moves items to or from another chest on this computer.
    fn exchange(&mut self, host: &mut Host, call: &mut Call<'_>, push: bool) -> NativeResult {
        let other = String::from_utf8_lossy(&call.text(1)?).into_owned();
        let slot = count(call.float(2)?);
        let limit = count(call.float_or(3, f64::from(STACK))?);
        let into = if call.is_nil(4) { None } else { Some(count(call.float(4)?)) };
        let moved = host.with_peripheral(&other, |peripheral, _| match peripheral {
            Peripheral::Chest(chest) if push => Some(transfer(self, chest, slot, limit, into)),
            Peripheral::Chest(chest) => Some(transfer(chest, self, slot, limit, into)),
            _ => None,
        });
        match moved {
            None => Err(Raise::new(format!("Target '{other}' does not exist"))),
            Some(None) => Err(Raise::new(format!("Target '{other}' is not an inventory"))),
            Some(Some(moved)) => {
                call.push(moved);
                Ok(())
            }
        }
    }
}

fn transfer(from: &mut Chest, to: &mut Chest, slot: u32, limit: u32, into: Option<u32>) -> u32 {
    let Some(item) = from.items.get(&slot).cloned() else {
        return 0;
    };
    let mut left = item.count.min(limit);
    let wanted = left;
    let slots: Vec<u32> = into.map_or_else(|| (1..=to.size()).collect(), |slot| vec![slot]);
    for target in slots {
        let room = match to.items.get(&target) {
            Some(there) if there.name == item.name => STACK.saturating_sub(there.count),
            Some(_) => 0,
            None => STACK,
        };
        let moved = room.min(left);
        if moved > 0 {
            let entry = to.items.entry(target).or_insert_with(|| Item { name: item.name.clone(), count: 0 });
            entry.count += moved;
            left -= moved;
        }
    }
    let moved = wanted - left;
    if moved >= item.count {
        from.items.remove(&slot);
    } else if let Some(item) = from.items.get_mut(&slot) {
        item.count -= moved;
    }
    moved
}
