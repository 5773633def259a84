//! Sorts what has to be compared by calls: a quicksort in the table itself, which compares and exchanges in the order
//! of Lua 5.2. So functions that contradict themselves, and values that are neither less nor greater, leave the same
//! table as there.

use serde::{Deserialize, Serialize};

use super::Ended;
use crate::dialect::Dialect;
use crate::heap::Event;
use crate::machine::{Call, Cont, Outcome};
use crate::value::{TableId, Value};

/// How many comparisons that are no calls run between two looks at the budget.
const SLICE: u64 = 64;

/// Which comparison comes next, or has been asked for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Step {
    /// The last value against the first.
    Ends,
    /// The middle one against the first.
    MiddleFirst,
    /// The last one against the middle.
    LastMiddle,
    /// From the left, what is less than the pivot stays.
    Up,
    /// From the right, what is greater than the pivot stays.
    Down,
}

/// A sort in progress. Positions count from 1, as in the table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Partition {
    table: TableId,
    compare: Value,
    step: Step,
    /// The range that is being sorted, and how far the two scans of it are.
    low: i64,
    high: i64,
    left: i64,
    right: i64,
    pivot: Value,
    /// The values of the last comparisons: what the function does to the table meanwhile does not matter.
    at_left: Value,
    at_right: Value,
    /// Ranges that wait: of two parts the smaller one is sorted first, so there are few.
    waiting: Vec<(i64, i64)>,
    /// A comparison waits until there is a budget again.
    paused: bool,
}

/// What comes after a comparison.
enum Next {
    Compare,
    Range,
    Done,
}

impl Partition {
    pub fn begin(call: &mut Call<'_>, table: TableId, compare: Value, count: usize) -> Ended {
        let high = i64::try_from(count).expect("a table is far shorter than 2^63");
        let mut sort = Box::new(Self {
            table,
            compare,
            step: Step::Ends,
            low: 1,
            high,
            left: 0,
            right: 0,
            pivot: Value::Nil,
            at_left: Value::Nil,
            at_right: Value::Nil,
            waiting: Vec::new(),
            paused: false,
        });
        let next = sort.begin_range(call);
        sort.run(call, next)
    }

    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        for value in [Value::Table(self.table), self.compare, self.pivot, self.at_left, self.at_right] {
            each(value);
        }
    }

    /// The answer to a call has arrived, or it goes on after a pause.
    pub fn go_on(mut self: Box<Self>, call: &mut Call<'_>, answer: Value) -> Ended {
        let next = if self.paused { Next::Compare } else { self.answered(call, answer.is_true())? };
        self.paused = false;
        self.run(call, next)
    }

    fn run(mut self: Box<Self>, call: &mut Call<'_>, mut next: Next) -> Ended {
        let mut slice = 0;
        loop {
            match next {
                Next::Compare => {}
                Next::Range => {
                    next = self.begin_range(call);
                    continue;
                }
                Next::Done => return Ok(Outcome::NONE),
            }
            slice += 1;
            if slice % SLICE == 0 {
                call.spend(usize::try_from(SLICE).unwrap_or(0));
                if call.state.budget == 0 {
                    self.paused = true;
                    return Ok(Outcome::Again(Cont::Partition(self)));
                }
            }
            let (one, two) = self.question();
            match ask(call, self.compare, one, two)? {
                Answer::Known(less) => next = self.answered(call, less)?,
                Answer::Call(function) => {
                    call.push_all(&[function, one, two])?;
                    return Ok(Outcome::Call(2, Cont::Partition(self)));
                }
            }
        }
    }

    /// What is compared in this step: whether the first is less than the second.
    fn question(&self) -> (Value, Value) {
        match self.step {
            Step::Ends | Step::MiddleFirst | Step::LastMiddle => (self.at_right, self.at_left),
            Step::Up => (self.at_left, self.pivot),
            Step::Down => (self.pivot, self.at_right),
        }
    }

    fn get(&self, call: &Call<'_>, index: i64) -> Value {
        #[expect(clippy::cast_precision_loss, reason = "an array is far shorter than 2^53")]
        call.state.heap.tables.get(self.table.0).get_number(index as f64)
    }

    fn put(&self, call: &mut Call<'_>, index: i64, value: Value) -> Result<(), Value> {
        let heap = &mut call.state.heap;
        let table = heap.tables.get_mut(self.table.0);
        let place = usize::try_from(index - 1).ok().and_then(|place| table.array_mut().get_mut(place));
        if let Some(place) = place.filter(|_| !value.is_nil()) {
            *place = value;
            return Ok(());
        }
        // The function has made the table shorter.
        #[expect(clippy::cast_precision_loss, reason = "an array is far shorter than 2^53")]
        let stored = table.set(Value::Number(index as f64), value, &mut heap.account);
        stored.map_err(|_| heap.out_of_memory())
    }

    fn exchange(&self, call: &mut Call<'_>, one: i64, two: i64) -> Result<(), Value> {
        let (first, second) = (self.get(call, one), self.get(call, two));
        self.put(call, one, second)?;
        self.put(call, two, first)
    }

    fn begin_range(&mut self, call: &Call<'_>) -> Next {
        while self.low >= self.high {
            let Some((low, high)) = self.waiting.pop() else { return Next::Done };
            (self.low, self.high) = (low, high);
        }
        self.step = Step::Ends;
        self.at_left = self.get(call, self.low);
        self.at_right = self.get(call, self.high);
        Next::Compare
    }

    /// The range is sorted.
    fn end_range(&mut self) -> Next {
        self.low = self.high;
        Next::Range
    }

    fn answered(&mut self, call: &mut Call<'_>, less: bool) -> Result<Next, Value> {
        match self.step {
            Step::Ends => {
                if less {
                    self.put(call, self.low, self.at_right)?;
                    self.put(call, self.high, self.at_left)?;
                }
                if self.high - self.low == 1 {
                    return Ok(self.end_range());
                }
                self.left = i64::midpoint(self.low, self.high);
                self.step = Step::MiddleFirst;
                self.at_right = self.get(call, self.left);
                self.at_left = self.get(call, self.low);
                Ok(Next::Compare)
            }
            Step::MiddleFirst if less => {
                self.put(call, self.left, self.at_left)?;
                self.put(call, self.low, self.at_right)?;
                self.choose_pivot(call)
            }
            Step::MiddleFirst => {
                self.step = Step::LastMiddle;
                self.at_left = self.at_right;
                self.at_right = self.get(call, self.high);
                Ok(Next::Compare)
            }
            Step::LastMiddle => {
                if less {
                    self.put(call, self.left, self.at_right)?;
                    self.put(call, self.high, self.at_left)?;
                }
                self.choose_pivot(call)
            }
            Step::Up if less => {
                if self.left > self.high - Self::stock(call) {
                    return Err(call.error("invalid order function for sorting"));
                }
                Ok(self.scan_up(call))
            }
            Step::Up => {
                self.step = Step::Down;
                Ok(self.scan_down(call))
            }
            Step::Down if less => {
                if self.right < self.low + Self::stock(call) {
                    return Err(call.error("invalid order function for sorting"));
                }
                Ok(self.scan_down(call))
            }
            Step::Down if self.right < self.left => self.split(call),
            Step::Down => {
                self.put(call, self.left, self.at_right)?;
                self.put(call, self.right, self.at_left)?;
                self.step = Step::Up;
                Ok(self.scan_up(call))
            }
        }
    }

    /// Stock Lua notices a scan that leaves the range one value earlier than CraftOS-PC.
    fn stock(call: &Call<'_>) -> i64 {
        i64::from(call.state.dialect == Dialect::Stock)
    }

    /// The middle one of three values, which waits before the last place meanwhile.
    fn choose_pivot(&mut self, call: &mut Call<'_>) -> Result<Next, Value> {
        if self.high - self.low == 2 {
            return Ok(self.end_range());
        }
        self.pivot = self.get(call, self.left);
        self.exchange(call, self.left, self.high - 1)?;
        self.left = self.low;
        self.right = self.high - 1;
        self.step = Step::Up;
        Ok(self.scan_up(call))
    }

    fn scan_up(&mut self, call: &Call<'_>) -> Next {
        self.left += 1;
        self.at_left = self.get(call, self.left);
        Next::Compare
    }

    fn scan_down(&mut self, call: &Call<'_>) -> Next {
        self.right -= 1;
        self.at_right = self.get(call, self.right);
        Next::Compare
    }

    /// The pivot is at its place: what is on both sides of it is sorted next.
    fn split(&mut self, call: &mut Call<'_>) -> Result<Next, Value> {
        self.exchange(call, self.high - 1, self.left)?;
        let (below, above) = ((self.low, self.left - 1), (self.left + 1, self.high));
        let below_is_smaller = self.left - self.low < self.high - self.left;
        let (smaller, larger) = if below_is_smaller { (below, above) } else { (above, below) };
        self.waiting.push(larger);
        (self.low, self.high) = smaller;
        Ok(Next::Range)
    }
}

enum Answer {
    Known(bool),
    Call(Value),
}

/// Whether one value is less than another, or what has to be called to know it.
fn ask(call: &mut Call<'_>, compare: Value, one: Value, two: Value) -> Result<Answer, Value> {
    if !compare.is_nil() {
        return Ok(Answer::Call(compare));
    }
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => Ok(Answer::Known(one < two)),
        (Value::String(one), Value::String(two)) => {
            Ok(Answer::Known(call.state.compare_texts(one, two).is_lt()))
        }
        _ => {
            let mut handler = call.state.heap.handler(one, Event::Less);
            if handler.is_nil() {
                handler = call.state.heap.handler(two, Event::Less);
            }
            if !call.state.may_compare(one, two) {
                handler = Value::Nil;
            }
            if handler.is_nil() {
                let (first, second) = (call.state.type_text(one), call.state.type_text(two));
                let message = if first == second {
                    format!("attempt to compare two {first} values")
                } else {
                    format!("attempt to compare {first} with {second}")
                };
                return Err(match call.state.dialect {
                    Dialect::Stock => call.state.heap.message(message.as_bytes()),
                    Dialect::CraftosPc => call.error(&message),
                });
            }
            Ok(Answer::Call(handler))
        }
    }
}
