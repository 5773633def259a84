//! A chest: an inventory that programs fill with `setItem`, as the reference's does.

use std::collections::BTreeMap;

use super::super::{Arguments, Host};
use super::Attached;
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

    pub fn call(&mut self, host: &mut Host, name: &str, method: &str, call: &mut Call<'_>) -> NativeResult {
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
            "pushItems" => self.exchange(host, name, call, true)?,
            _ => self.exchange(host, name, call, false)?,
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

    /// Moves items to or from another chest on this computer, or within this one.
    fn exchange(&mut self, host: &mut Host, name: &str, call: &mut Call<'_>, push: bool) -> NativeResult {
        let other = String::from_utf8_lossy(&call.text(1)?).into_owned();
        let slot = count(call.float(2)?);
        let limit = count(call.float_or(3, f64::from(STACK))?);
        let into = if call.is_nil(4) { None } else { Some(count(call.float(4)?)) };
        let order = Order { slot, limit, into };
        let moved = if other == name {
            Some(Some(self.rearrange(order)))
        } else {
            host.with_peripheral(&other, |peripheral, _| match peripheral {
                Attached::Chest(chest) if push => Some(transfer(self, chest, order)),
                Attached::Chest(chest) => Some(transfer(chest, self, order)),
                _ => None,
            })
        };
        match moved {
            None => Err(Raise::new(format!("Target '{other}' does not exist"))),
            Some(None) => Err(Raise::new(format!("Target '{other}' is not an inventory"))),
            Some(Some(moved)) => {
                call.push(moved?);
                Ok(())
            }
        }
    }

    fn rearrange(&mut self, order: Order) -> Result<u32, Raise> {
        order.check(self.size(), self.size())?;
        let Some(offer) = self.offer(order) else { return Ok(0) };
        let moved = self.put(&offer, order.into);
        self.remove(order.slot, moved);
        Ok(moved)
    }

    /// What may be moved out of a slot.
    fn offer(&self, order: Order) -> Option<Item> {
        let item = self.items.get(&order.slot)?;
        Some(Item { name: item.name.clone(), count: item.count.min(order.limit) })
    }

    /// Puts items into a slot: the one that is named, or the first that is empty or has such items, with or without room.
    fn put(&mut self, offer: &Item, into: Option<u32>) -> u32 {
        let fits = |slot: &u32| self.items.get(slot).is_none_or(|there| there.name == offer.name);
        let Some(slot) = into.or_else(|| (1..=self.size()).find(fits)).filter(fits) else { return 0 };
        let there = self.items.get(&slot).map_or(0, |there| there.count);
        let moved = STACK.saturating_sub(there).min(offer.count);
        if moved > 0 {
            self.items.insert(slot, Item { name: offer.name.clone(), count: there + moved });
        }
        moved
    }

    fn remove(&mut self, slot: u32, count: u32) {
        if let Some(item) = self.items.get_mut(&slot) {
            item.count = item.count.saturating_sub(count);
            if item.count == 0 {
                self.items.remove(&slot);
            }
        }
    }
}

/// What is to be moved, and where to.
#[derive(Debug, Clone, Copy)]
struct Order {
    slot: u32,
    limit: u32,
    into: Option<u32>,
}

impl Order {
    /// Refuses slots that chests of these sizes do not have.
    fn check(self, from: u32, to: u32) -> NativeResult {
        let sides = [("From", Some(self.slot), from), ("To", self.into, to)];
        for (side, slot, size) in sides {
            if slot.is_some_and(|slot| !(1..=size).contains(&slot)) {
                return Err(Raise::new(format!("{side} slot out of range (between 1 and {size})")));
            }
        }
        Ok(())
    }
}

fn transfer(from: &mut Chest, to: &mut Chest, order: Order) -> Result<u32, Raise> {
    order.check(from.size(), to.size())?;
    let Some(offer) = from.offer(order) else { return Ok(0) };
    let moved = to.put(&offer, order.into);
    from.remove(order.slot, moved);
    Ok(moved)
}
