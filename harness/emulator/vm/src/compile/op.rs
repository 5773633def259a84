//! The instructions of the machine.
//!
//! Each is eight bytes: a tag, up to three register operands of one byte, and a wider operand. A register operand
//! indexes the 256 slots from a frame's base. Comparisons carry the target of the jump that always follows them.

use serde::{Deserialize, Serialize};

use super::packed::{Reader, write_number};

/// An operand of an instruction that is written into packed code.
trait Operand {
    fn write(self, bytes: &mut Vec<u8>);
    fn read(reader: &mut Reader) -> Self;
}

impl Operand for u8 {
    fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(self);
    }

    #[inline]
    fn read(reader: &mut Reader) -> Self {
        reader.byte()
    }
}

impl Operand for bool {
    fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    #[inline]
    fn read(reader: &mut Reader) -> Self {
        reader.byte() != 0
    }
}

impl Operand for u16 {
    fn write(self, bytes: &mut Vec<u8>) {
        write_number(bytes, self.into());
    }

    #[inline]
    fn read(reader: &mut Reader) -> Self {
        Self::try_from(reader.number()).expect("it was written from as many bits")
    }
}

impl Operand for u32 {
    fn write(self, bytes: &mut Vec<u8>) {
        write_number(bytes, self);
    }

    #[inline]
    fn read(reader: &mut Reader) -> Self {
        reader.number()
    }
}

/// Makes the instructions, and how they are packed: a byte that says which one it is, then its operands.
macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident $({ $($operand:ident: $type:ty),* })?,)*) => {
        /// One instruction. `a`, `b`, `c` are registers, `k` is a constant's index, `to` is an instruction's index.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Op {
            $($(#[$doc])* $name $({ $($operand: $type),* })?,)*
        }

        #[expect(non_upper_case_globals, reason = "named as the instructions are")]
        mod tag {
            enum Tag { $($name),* }
            $(pub const $name: u8 = Tag::$name as u8;)*
        }

        impl Op {
            pub(super) fn write(self, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$name $({ $($operand),* })? => {
                        bytes.push(tag::$name);
                        $($(Operand::write($operand, bytes);)*)?
                    })*
                }
            }

            pub(super) fn read(reader: &mut Reader) -> Self {
                match reader.byte() {
                    $(tag::$name => Self::$name $({ $($operand: Operand::read(reader)),* })?,)*
                    other => unreachable!("{other} is no instruction: packed code is what was written"),
                }
            }
        }
    };
}

instructions! {
    Move { a: u8, b: u8 },
    /// Sets `n` registers from `a` to nil.
    LoadNil { a: u8, n: u8 },
    LoadBool { a: u8, value: bool },
    LoadK { a: u8, k: u32 },
    GetUpvalue { a: u8, up: u8 },
    SetUpvalue { a: u8, up: u8 },
    /// A local that an inner function uses lives in a cell; its register holds the cell.
    NewCell { a: u8 },
    GetCell { a: u8, b: u8 },
    SetCell { a: u8, b: u8 },
    /// Reads a field of an upvalue that holds a table: globals.
    GetGlobal { a: u8, up: u8, k: u16 },
    SetGlobal { up: u8, c: u8, k: u16 },
    GetField { a: u8, b: u8, k: u16 },
    SetField { a: u8, c: u8, k: u16 },
    GetIndex { a: u8, b: u8, c: u8 },
    SetIndex { a: u8, b: u8, c: u8 },
    /// `R[a+1] = R[b]; R[a] = R[b][k]`, for `object:method()`.
    Method { a: u8, b: u8, k: u16 },
    Add { a: u8, b: u8, c: u8 },
    Sub { a: u8, b: u8, c: u8 },
    Mul { a: u8, b: u8, c: u8 },
    Div { a: u8, b: u8, c: u8 },
    Mod { a: u8, b: u8, c: u8 },
    Pow { a: u8, b: u8, c: u8 },
    AddK { a: u8, b: u8, k: u16 },
    SubK { a: u8, b: u8, k: u16 },
    MulK { a: u8, b: u8, k: u16 },
    DivK { a: u8, b: u8, k: u16 },
    ModK { a: u8, b: u8, k: u16 },
    PowK { a: u8, b: u8, k: u16 },
    Negate { a: u8, b: u8 },
    Not { a: u8, b: u8 },
    Length { a: u8, b: u8 },
    /// Joins `n` registers from `b`.
    Concat { a: u8, b: u8, n: u8 },
    Jump { to: u32 },
    JumpIf { a: u8, to: u32 },
    JumpIfNot { a: u8, to: u32 },
    /// Each comparison jumps when its outcome is `when`.
    Equal { a: u8, b: u8, when: bool, to: u32 },
    EqualK { a: u8, k: u8, when: bool, to: u32 },
    Less { a: u8, b: u8, when: bool, to: u32 },
    LessEqual { a: u8, b: u8, when: bool, to: u32 },
    /// `R[a] < K[k]`, and the other three against a number.
    LessK { a: u8, k: u8, when: bool, to: u32 },
    LessEqualK { a: u8, k: u8, when: bool, to: u32 },
    GreaterK { a: u8, k: u8, when: bool, to: u32 },
    GreaterEqualK { a: u8, k: u8, when: bool, to: u32 },
    /// Calls `R[a]`; `args` and `results` are counts plus one, zero for "up to the top".
    Call { a: u8, args: u8, results: u8 },
    TailCall { a: u8, args: u8 },
    /// `count` is one more than the number of values, zero for "up to the top".
    Return { a: u8, count: u8 },
    Return0,
    Return1 { a: u8 },
    VarArgs { a: u8, count: u8 },
    Closure { a: u8, child: u32 },
    /// Checks the three numbers from `a` and jumps when the loop runs not even once; the variable is `a + 3`.
    ForPrepare { a: u8, to: u32 },
    ForLoop { a: u8, to: u32 },
    /// `R[a+3], … = R[a](R[a+1], R[a+2])`, `n` results.
    GenericCall { a: u8, n: u8 },
    /// Continues at `to` when `R[a+3]` is not nil, which becomes the control variable.
    GenericLoop { a: u8, to: u32 },
    NewTable { a: u8, hash: u16, array: u32 },
    /// Stores `count` registers from `a + 1` into the table `R[a]`, from index `first`; zero for "up to the top".
    SetList { a: u8, count: u8, first: u32 },
}

const _: () = assert!(size_of::<Op>() == 8, "an instruction is eight bytes");
