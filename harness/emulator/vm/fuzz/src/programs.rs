//! Made-up programs: statements over a few variables, which end by themselves, and show on the way what their variables hold.

use std::fmt::Write as _;

use crate::calls::call;
use crate::random::Random;
use crate::values::{Kind, literal};

/// Programs are small: a difference is to be read by a person.
const STATEMENTS: usize = 4;

/// Expressions and blocks inside each other.
const DEPTH: usize = 2;

struct Writer<'a> {
    random: &'a mut Random,
    text: String,
    /// Local variables that are in scope.
    locals: Vec<String>,
    /// How many names were given.
    names: usize,
    loops: usize,
    /// Whether `...` is there.
    varargs: bool,
    all: bool,
}

/// A chunk that ends by itself. `all` also takes functions that stock Lua does not have.
pub fn program(random: &mut Random, all: bool) -> String {
    let mut writer =
        Writer { random, text: String::new(), locals: Vec::new(), names: 0, loops: 0, varargs: true, all };
    for _ in 0..STATEMENTS {
        writer.statement(0);
    }
    let result = writer.expression(0);
    write!(writer.text, "return {result}").expect("a text takes everything");
    writer.text
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// A block whose locals end with it.
    fn block(&mut self, depth: usize) {
        let locals = self.locals.len();
        for _ in 0..=self.random.below(2) {
            self.statement(depth + 1);
        }
        self.locals.truncate(locals);
    }

    fn variable(&mut self) -> String {
        match self.locals.len() {
            0 => self.random.pick(&["g1", "g2"]).to_owned(),
            count if !self.random.once_in(6) => self.locals[self.random.below(count)].clone(),
            _ => self.random.pick(&["g1", "g2"]).to_owned(),
        }
    }

    fn statement(&mut self, depth: usize) {
        let kind = self.random.below(if depth < DEPTH { 20 } else { 9 });
        match kind {
            0..=2 => {
                let value = self.expression(0);
                let name = self.name();
                let second = self.random.once_in(4).then(|| self.name());
                match second {
                    Some(second) => {
                        self.line(&format!("local {name}, {second} = {value}"));
                        self.locals.push(second);
                    }
                    None => self.line(&format!("local {name} = {value}")),
                }
                self.locals.push(name);
            }
            3 | 4 => {
                let (variable, value) = (self.variable(), self.expression(0));
                self.line(&format!("{variable} = {value}"));
            }
            5 => {
                let (table, key, value) = (self.variable(), self.expression(2), self.expression(1));
                self.line(&format!("{table}[{key}] = {value}"));
            }
            6 | 7 => {
                let (one, other) = (self.expression(1), self.expression(1));
                self.line(&format!("T({one}, {other})"));
            }
            8 => {
                let (one, other) = (self.variable(), self.variable());
                let (first, second) = (self.expression(1), self.expression(1));
                self.line(&format!("{one}, {other} = {first}, {second}"));
            }
            9 | 10 => self.condition(depth),
            11 => self.numeric_for(depth),
            12 => self.generic_for(depth),
            13 => self.counted_loop(depth),
            14 | 15 => self.function(depth),
            16 => {
                self.line("do");
                self.block(depth);
                self.line("end");
            }
            17 | 18 => {
                self.text.push_str("T(pcall(function(...)\n");
                self.inner_function(depth);
                self.line("end, 1, 2))");
            }
            _ => self.jump(depth),
        }
    }

    /// The inside of a function: no loop of outside can be left in it.
    fn inner_function(&mut self, depth: usize) {
        let (loops, varargs) = (std::mem::take(&mut self.loops), std::mem::replace(&mut self.varargs, true));
        let locals = self.locals.len();
        for _ in 0..=self.random.below(2) {
            self.statement(depth + 1);
        }
        if self.random.once_in(2) {
            let value = self.expression(1);
            self.line(&format!("return {value}"));
        }
        self.locals.truncate(locals);
        self.loops = loops;
        self.varargs = varargs;
    }

    fn condition(&mut self, depth: usize) {
        let test = self.expression(1);
        self.line(&format!("if {test} then"));
        self.block(depth);
        if self.random.once_in(3) {
            let test = self.expression(1);
            self.line(&format!("elseif {test} then"));
            self.block(depth);
        }
        if self.random.once_in(2) {
            self.line("else");
            self.block(depth);
        }
        self.line("end");
    }

    fn numeric_for(&mut self, depth: usize) {
        let name = self.name();
        let range = self.random.pick(&[
            "1, 3",
            "3, 1, -1",
            "1, 0",
            "1, 2, 0.5",
            "0.1, 0.35, 0.1",
            "1, \"3\"",
            "1, nil",
            "-1, 1",
            "1, 3, 2",
        ]);
        self.line(&format!("for {name} = {range} do"));
        self.inside_loop(depth, &[name]);
        self.line("end");
    }

    fn generic_for(&mut self, depth: usize) {
        let (key, value) = (self.name(), self.name());
        let list = literal(Kind::List, self.random);
        let iterator = match self.random.below(4) {
            0 => format!("ipairs({list})"),
            1 => "(\"a=1, b=2\"):gmatch(\"(%w+)=(%w+)\")".to_owned(),
            2 => "coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i, i * i) end end)".to_owned(),
            _ => self.expression(2),
        };
        self.line(&format!("for {key}, {value} in {iterator} do"));
        // An iterator that never ends is cut off.
        self.line("if tick() then break end");
        self.inside_loop(depth, &[key, value]);
        self.line("end");
    }

    fn counted_loop(&mut self, depth: usize) {
        let name = self.name();
        self.line(&format!("local {name} = 0"));
        let until = self.random.once_in(2);
        self.line(if until { "repeat" } else { "while true do" });
        // The counter is no variable that a statement may pick.
        self.line(&format!("{name} = {name} + 1 if {name} > 3 then break end"));
        self.inside_loop(depth, &[]);
        if until {
            let test = self.expression(1);
            self.line(&format!("until {test}"));
        } else {
            self.line("end");
        }
    }

    fn inside_loop(&mut self, depth: usize, names: &[String]) {
        let locals = self.locals.len();
        self.locals.extend(names.iter().cloned());
        self.loops += 1;
        self.block(depth);
        self.loops -= 1;
        self.locals.truncate(locals);
    }

    fn function(&mut self, depth: usize) {
        let (name, parameter) = (self.name(), self.name());
        let varargs = self.random.once_in(2);
        let form = if self.random.once_in(2) { "local function NAME" } else { "local NAME = function" };
        let form = form.replace("NAME", &name);
        self.line(&format!("{form}({parameter}{})", if varargs { ", ..." } else { "" }));
        // A function that calls itself comes to an end.
        self.line("if tick() then return end");
        let locals = self.locals.len();
        self.locals.push(parameter);
        let outside = std::mem::replace(&mut self.varargs, varargs);
        let loops = std::mem::take(&mut self.loops);
        self.block(depth);
        let value = self.expression(1);
        self.line(&format!("return {value}"));
        self.loops = loops;
        self.varargs = outside;
        self.locals.truncate(locals);
        self.line("end");
        self.locals.push(name.clone());
        let argument = self.expression(1);
        self.line(&format!("T({name}({argument}))"));
    }

    fn jump(&mut self, depth: usize) {
        if self.loops > 0 && self.random.once_in(2) {
            let test = self.expression(1);
            self.line(&format!("if {test} then break end"));
            return;
        }
        let label = self.name();
        let test = self.expression(1);
        self.line(&format!("do if {test} then goto {label} end"));
        self.line("do");
        self.block(depth);
        self.line("end");
        self.line(&format!("::{label}:: end"));
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth >= DEPTH || self.random.once_in(4) {
            return match self.random.below(6) {
                0 | 1 => self.variable(),
                2 if self.varargs => "...".to_owned(),
                3 => literal(Kind::Text, self.random),
                4 => literal(Kind::Number, self.random),
                _ => literal(Kind::Any, self.random),
            };
        }
        let next = depth + 1;
        match self.random.below(16) {
            0..=4 => {
                let operator = self.random.pick(&[
                    "+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or",
                ]);
                let (left, right) = (self.operand(next), self.operand(next));
                format!("{left} {operator} {right}")
            }
            5 => {
                let operator = self.random.pick(&["-", "not ", "#"]);
                format!("{operator}{}", self.operand(next))
            }
            6 => {
                let (first, key, second) =
                    (self.expression(next), self.expression(next), self.expression(next));
                format!("{{{first}, x = {second}, [{}] = 1}}", wrapped(&key))
            }
            7 => {
                let key = self.random.pick(&["x", "y", "a"]);
                format!("{}.{key}", self.variable())
            }
            8 => {
                let key = self.expression(next);
                format!("{}[{}]", self.variable(), wrapped(&key))
            }
            9 => {
                let argument = self.expression(next);
                format!("{}({argument})", self.variable())
            }
            10 => {
                let method = self.random.pick(&["upper", "len", "x", "rep", "sub"]);
                let argument = literal(Kind::Count, self.random);
                format!("{}:{method}({argument})", self.variable())
            }
            11 | 12 => call(self.random, self.all),
            13 => {
                let parameter = self.name();
                self.locals.push(parameter.clone());
                let varargs = std::mem::replace(&mut self.varargs, false);
                let value = self.expression(next);
                self.varargs = varargs;
                self.locals.pop();
                format!("function({parameter}) if tick() then return end return {value} end")
            }
            14 => {
                let argument = self.expression(next);
                format!("select(2, pcall({}, {argument}))", self.variable())
            }
            _ => wrapped(&self.expression(next)),
        }
    }

    fn operand(&mut self, depth: usize) -> String {
        let expression = self.expression(depth);
        let simple = expression.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if simple { expression } else { wrapped(&expression) }
    }
}

fn wrapped(expression: &str) -> String {
    format!("({expression})")
}
