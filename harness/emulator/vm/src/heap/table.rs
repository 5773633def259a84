//! A table: an array for the keys from 1, and nodes for all others, found by hash and chained where they collide.
//!
//! Keys whose value is nil stay in their node until the table grows, so that a traversal may clear fields.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::clone_with_room;
use super::node::{EMPTY, Key, LAST, Node, hash, parts};
use super::objects::{Account, NO_TABLE, OutOfMemory, block};
use crate::value::{StringId, Value};

/// The array grows from this many slots.
const FIRST_ARRAY: usize = 4;
/// So many empty entries are passed in the time of an instruction.
const EMPTY_PER_INSTRUCTION: usize = 8;
/// Larger tables than this are refused as too large for memory before anything is counted.
const MOST_NODES: usize = 1 << 30;

/// Where an assignment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    Done,
    /// There is no such key yet.
    Absent,
}

/// What comes after a key.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    /// The next key and its value; none at the end.
    pub entry: Option<(Value, Value)>,
    /// How many empty entries lie before it.
    passed: usize,
}

impl Follower {
    /// How many instructions' worth of time it took to find it, besides the one that asked: a table may have millions of
    /// empty entries.
    #[inline]
    pub fn work(&self) -> usize {
        self.passed / EMPTY_PER_INSTRUCTION
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Table {
    #[serde(with = "crate::saving::room")]
    array: Vec<Value>,
    nodes: Box<[Node]>,
    /// Nodes from here on are not free.
    free: u32,
    /// How many whole numbers from 1 were put into nodes: none need to be looked for while it is zero.
    whole_keys: u32,
    /// The metatable's handle.
    pub meta: u32,
    /// Metamethods that this table, as a metatable, is known not to have: a bit for each event.
    pub absent: u32,
    /// The number of the object in order of creation.
    pub serial: u32,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Self { array: clone_with_room(&self.array), nodes: self.nodes.clone(), ..*self }
    }
}

impl Default for Table {
    fn default() -> Self {
        Self {
            array: Vec::new(),
            nodes: Box::default(),
            free: 0,
            whole_keys: 0,
            meta: NO_TABLE,
            absent: 0,
            serial: 0,
        }
    }
}

/// The position in an array of a whole number from 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "the conversion back says whether the number was whole and in range"
)]
#[inline]
fn position(number: f64) -> Option<usize> {
    let index = number as u32;
    (index as f64 == number && index > 0).then(|| index as usize - 1)
}

fn array_bytes(slots: usize) -> usize {
    block(slots * size_of::<Value>())
}

fn node_bytes(nodes: usize) -> usize {
    block(nodes * size_of::<Node>())
}

impl Table {
    pub fn bytes(&self) -> usize {
        array_bytes(self.array.capacity()) + node_bytes(self.nodes.len())
    }

    #[inline]
    pub fn get(&self, key: Value) -> Value {
        match key {
            Value::String(id) => self.get_string(id),
            Value::Number(number) => self.get_number(number),
            Value::Nil => Value::Nil,
            _ => self.get_node(key),
        }
    }

    #[inline]
    pub fn get_string(&self, key: StringId) -> Value {
        let nodes = &self.nodes[..];
        if nodes.is_empty() {
            return Value::Nil;
        }
        let mut index = key.hash as usize & (nodes.len() - 1);
        loop {
            let node = &nodes[index];
            if node.is_string(key) {
                return node.value;
            }
            if node.next == LAST {
                return Value::Nil;
            }
            index = node.next as usize;
        }
    }

    #[inline]
    pub fn get_number(&self, number: f64) -> Value {
        if let Some(position) = position(number) {
            if let Some(value) = self.array.get(position) {
                return *value;
            }
            if self.whole_keys == 0 {
                return Value::Nil;
            }
        }
        self.get_node(Value::Number(number))
    }

    fn get_node(&self, key: Value) -> Value {
        self.find(key).map_or(Value::Nil, |index| self.nodes[index].value)
    }

    #[inline]
    fn find(&self, key: Value) -> Option<usize> {
        self.look(key).ok()
    }

    /// The node of a key, or how many others were passed where it has none.
    fn look(&self, key: Value) -> Result<usize, usize> {
        if self.nodes.is_empty() {
            return Err(0);
        }
        let wanted = parts(key);
        let mut index = hash(wanted) as usize & (self.nodes.len() - 1);
        let mut passed = 0;
        loop {
            let node = &self.nodes[index];
            if node.parts() == wanted {
                return Ok(index);
            }
            if node.next == LAST {
                return Err(passed);
            }
            index = node.next as usize;
            passed += 1;
        }
    }

    /// Assigns to a key that has a value now.
    #[inline]
    pub fn replace_string(&mut self, key: StringId, value: Value) -> Set {
        if self.nodes.is_empty() {
            return Set::Absent;
        }
        let mut index = key.hash as usize & (self.nodes.len() - 1);
        loop {
            let node = &mut self.nodes[index];
            if node.is_string(key) {
                if node.value.is_nil() {
                    return Set::Absent;
                }
                node.value = value;
                return Set::Done;
            }
            if node.next == LAST {
                return Set::Absent;
            }
            index = node.next as usize;
        }
    }

    /// Assigns to a key that has a value now.
    #[inline]
    pub fn replace(&mut self, key: Value, value: Value) -> Set {
        match key {
            Value::String(id) => return self.replace_string(id, value),
            Value::Number(number) => {
                if let Some(position) = position(number)
                    && let Some(slot) = self.array.get_mut(position)
                {
                    if slot.is_nil() {
                        return Set::Absent;
                    }
                    *slot = value;
                    if value.is_nil() && position + 1 == self.array.len() {
                        self.cut();
                    }
                    return Set::Done;
                }
            }
            _ => {}
        }
        let Some(index) = self.find(key) else { return Set::Absent };
        let node = &mut self.nodes[index];
        if node.value.is_nil() {
            return Set::Absent;
        }
        node.value = value;
        Set::Done
    }

    /// Lets go of the nils at the end of the array.
    fn cut(&mut self) {
        while self.array.last().is_some_and(|value| value.is_nil()) {
            self.array.pop();
        }
    }

    /// Assigns to any key but nil and not-a-number. Charges what it allocates first; nothing changes when that fails.
    pub fn set(&mut self, key: Value, value: Value, account: &mut Account) -> Result<(), OutOfMemory> {
        if self.replace(key, value) == Set::Done || value.is_nil() {
            return Ok(());
        }
        // What a metatable lacks may be there from now on.
        self.absent = 0;
        if let Value::Number(number) = key
            && let Some(position) = position(number)
        {
            if position < self.array.len() {
                self.array[position] = value;
                return Ok(());
            }
            if position == self.array.len() {
                return self.append(value, account);
            }
        }
        match self.look(key) {
            Ok(index) => {
                self.nodes[index].value = value;
                Ok(())
            }
            Err(passed) => {
                account.passed(passed);
                self.insert(key, value, account)
            }
        }
    }

    /// Adds a value after the array, and those that follow it in the nodes.
    #[inline]
    pub fn append(&mut self, value: Value, account: &mut Account) -> Result<(), OutOfMemory> {
        if self.array.len() == self.array.capacity() {
            let size = (self.array.len() * 2).max(FIRST_ARRAY);
            self.reserve_array(size, account)?;
        }
        self.array.push(value);
        if self.whole_keys > 0 {
            self.migrate(account)?;
        }
        Ok(())
    }

    /// Moves the keys that now follow the array out of the nodes.
    #[cold]
    fn migrate(&mut self, account: &mut Account) -> Result<(), OutOfMemory> {
        // The key that was appended may have been in a node, with nil.
        loop {
            #[expect(clippy::cast_precision_loss, reason = "an array is far shorter than 2^53")]
            let key = Value::Number((self.array.len() + 1) as f64);
            let Some(index) = self.find(key) else { return Ok(()) };
            let value = self.nodes[index].value;
            if value.is_nil() {
                return Ok(());
            }
            if self.array.len() == self.array.capacity() {
                let size = (self.array.len() * 2).max(FIRST_ARRAY);
                self.reserve_array(size, account)?;
            }
            self.nodes[index].value = Value::Nil;
            self.array.push(value);
        }
    }

    pub fn reserve_array(&mut self, size: usize, account: &mut Account) -> Result<(), OutOfMemory> {
        if size > self.array.capacity() {
            account.charge(array_bytes(size) - array_bytes(self.array.capacity()))?;
            self.array.reserve_exact(size - self.array.len());
        }
        Ok(())
    }

    /// Makes room for that many keys outside of the array, in a table that has none.
    pub fn reserve_nodes(&mut self, count: usize, account: &mut Account) -> Result<(), OutOfMemory> {
        if count > 0 && self.nodes.is_empty() {
            self.resize(count, account)?;
        }
        Ok(())
    }

    /// Adds a key that is in no node.
    fn insert(&mut self, key: Value, value: Value, account: &mut Account) -> Result<(), OutOfMemory> {
        if self.nodes.is_empty() {
            self.resize(1, account)?;
        }
        let key = parts(key);
        if !self.place(key, value) {
            let live = self.nodes.iter().filter(|node| !node.value.is_nil()).count() + 1;
            let mut size = live.next_power_of_two();
            // A table that is nearly full of living keys would have to be arranged again soon.
            if size >= 16 && live * 8 > size * 7 {
                size *= 2;
            }
            self.resize(size, account)?;
            let placed = self.place(key, value);
            debug_assert!(placed, "a table that has grown has a free node");
        }
        Ok(())
    }

    fn resize(&mut self, count: usize, account: &mut Account) -> Result<(), OutOfMemory> {
        let size = count.next_power_of_two();
        if size > MOST_NODES {
            return Err(OutOfMemory);
        }
        let old_bytes = node_bytes(self.nodes.len());
        account.charge(node_bytes(size))?;
        let old = std::mem::replace(&mut self.nodes, vec![EMPTY; size].into());
        self.free = u32::try_from(size).expect("the limit was checked");
        self.whole_keys = 0;
        for node in old.iter().rev() {
            if !node.value.is_nil() {
                let placed = self.place(node.parts(), node.value);
                debug_assert!(placed, "there are at least as many nodes as keys");
            }
        }
        account.release(old_bytes);
        Ok(())
    }

    /// Puts a key into a node; false when none is free.
    fn place(&mut self, key: (Key, u64), value: Value) -> bool {
        let mask = self.nodes.len() - 1;
        let main = hash(key) as usize & mask;
        let occupant = self.nodes[main];
        if occupant.value.is_nil() {
            // A key that was cleared gives its node away, and stays in its chain.
            self.nodes[main] = Node::new(key, value, occupant.next);
        } else {
            let Some(free) = self.take_free() else { return false };
            let mut home = hash(occupant.parts()) as usize & mask;
            let free_index = u32::try_from(free).expect("nodes have 32-bit indices");
            if home == main {
                self.nodes[free] = Node::new(key, value, occupant.next);
                self.nodes[main].next = free_index;
            } else {
                // The occupant is not at home: it moves, and the new key takes its place.
                while self.nodes[home].next as usize != main {
                    home = self.nodes[home].next as usize;
                }
                self.nodes[home].next = free_index;
                self.nodes[free] = occupant;
                self.nodes[main] = Node::new(key, value, LAST);
            }
        }
        if key.0 == Key::Number && position(f64::from_bits(key.1)).is_some() {
            self.whole_keys += 1;
        }
        true
    }

    fn take_free(&mut self) -> Option<usize> {
        while self.free > 0 {
            self.free -= 1;
            if self.nodes[self.free as usize].key == Key::None {
                return Some(self.free as usize);
            }
        }
        None
    }

    /// A border: `t[n]` is not nil and `t[n + 1]` is.
    #[inline]
    pub fn length(&self) -> usize {
        match self.array.last() {
            None => 0,
            Some(last) if !last.is_nil() => self.array.len(),
            _ => self.search_border(),
        }
    }

    fn search_border(&self) -> usize {
        let (mut low, mut high) = (0, self.array.len());
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if self.array[middle - 1].is_nil() { high = middle } else { low = middle }
        }
        low
    }

    /// What comes after a key; nil begins. An error when there is no such key.
    #[inline]
    pub fn next(&self, key: Value) -> Result<Follower, ()> {
        let first = match key {
            Value::Nil => 0,
            Value::Number(number) if position(number).is_some_and(|at| at < self.array.len()) => {
                position(number).map_or(0, |at| at + 1)
            }
            _ => match self.find(key) {
                Some(node) => self.array.len() + node + 1,
                // It was at the end of the array and has been cleared.
                None if matches!(
                    key,
                    Value::Number(number) if position(number).is_some_and(|at| at < self.array.capacity())
                ) =>
                {
                    self.array.len()
                }
                None => return Err(()),
            },
        };
        let mut index = first;
        while index < self.array.len() {
            if !self.array[index].is_nil() {
                #[expect(clippy::cast_precision_loss, reason = "an array is far shorter than 2^53")]
                let key = Value::Number((index + 1) as f64);
                return Ok(Follower { entry: Some((key, self.array[index])), passed: index - first });
            }
            index += 1;
        }
        let rest = &self.nodes[index - self.array.len()..];
        let found = rest.iter().position(|node| !node.value.is_nil());
        let entry = found.map(|at| (rest[at].key(), rest[at].value));
        Ok(Follower { entry, passed: index - first + found.unwrap_or(rest.len()) })
    }

    pub fn array(&self) -> &[Value] {
        &self.array
    }

    pub fn array_mut(&mut self) -> &mut [Value] {
        &mut self.array
    }

    /// Stores values from a position on, as a constructor does: nils at the end stay.
    pub fn store(
        &mut self,
        first: usize,
        values: &[Value],
        account: &mut Account,
    ) -> Result<(), OutOfMemory> {
        if first == self.array.len() && self.whole_keys == 0 {
            self.reserve_array(first + values.len(), account)?;
            self.array.extend_from_slice(values);
            return Ok(());
        }
        for (offset, &value) in values.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "an array is far shorter than 2^53")]
            let key = Value::Number((first + offset + 1) as f64);
            self.set(key, value, account)?;
        }
        Ok(())
    }

    /// Puts all keys where they belong when natives among them have other numbers than before.
    pub fn natives_have_moved(&mut self) {
        if !self.nodes.iter().any(|node| node.key == Key::Native) {
            return;
        }
        let old = std::mem::take(&mut self.nodes);
        self.nodes = vec![EMPTY; old.len()].into();
        self.free = u32::try_from(old.len()).expect("the limit was checked");
        self.whole_keys = 0;
        for node in old.iter().rev().filter(|node| !node.value.is_nil()) {
            let placed = self.place(node.parts(), node.value);
            debug_assert!(placed, "there are as many nodes as before");
        }
    }

    pub fn nodes(&self) -> impl Iterator<Item = (Value, Value)> {
        self.nodes.iter().map(|node| (node.key(), node.value))
    }

    // For the collector.

    /// How many entries there are, with those that are empty.
    pub fn entry_count(&self) -> usize {
        self.array.len() + self.nodes.len()
    }

    pub fn node(&self, index: usize) -> (Value, Value) {
        let node = &self.nodes[index];
        (node.key(), node.value)
    }

    /// Clears what `dead` says of its values and of its keys, in a range of its entries: the nodes come first, then the array.
    /// The array is cut short with the last of them.
    pub fn clear_dead(
        &mut self,
        range: Range<usize>,
        dead: impl Fn(Value) -> bool,
        keys: bool,
        values: bool,
    ) {
        let nodes = self.nodes.len();
        if values {
            let whole = range.end == nodes + self.array.len();
            let part = range.start.max(nodes) - nodes..range.end.max(nodes) - nodes;
            for value in &mut self.array[part] {
                if dead(*value) {
                    *value = Value::Nil;
                }
            }
            if whole {
                self.cut();
            }
        }
        for node in &mut self.nodes[range.start.min(nodes)..range.end.min(nodes)] {
            if (values && dead(node.value)) || (keys && dead(node.key())) {
                node.value = Value::Nil;
            }
            // A key that is gone must never be found again; a boolean cell stands for it, which no program can make.
            if dead(node.key()) {
                (node.key, node.bits) = parts(Value::Cell(u32::MAX));
            }
        }
    }
}
