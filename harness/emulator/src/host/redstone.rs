//! `redstone`: six sides that a program may set. There is no world: inputs are what tests put there.

use super::Host;
use super::arguments::Arguments;
use crate::lua::{Call, Native, NativeResult, Raise, Value, format_number};

/// The sides in the order in which the reference lists them.
pub const SIDES: [&str; 6] = ["bottom", "top", "back", "front", "right", "left"];
/// The strongest signal.
const STRONGEST: f64 = 15.0;

/// Signals of one side.
#[derive(Debug, Clone, Copy, Default)]
pub struct Side {
    input: u8,
    output: u8,
    bundled_input: u16,
    bundled_output: u16,
}

fn side(call: &Call<'_>) -> Result<usize, Raise> {
    if call.type_name(1) != "string" {
        return Err(Raise::new(format!("bad argument #1 (string expected, got {})", call.type_text(1))));
    }
    let name = call.bytes(1).unwrap_or_default().to_ascii_lowercase();
    SIDES
        .iter()
        .position(|side| side.as_bytes() == name)
        .ok_or_else(|| Raise::new([b"bad argument #1 (unknown option ", &name[..], b")"].concat()))
}

fn number(call: &Call<'_>) -> Result<f64, Raise> {
    let got = match call.number_or_text(2) {
        Some(number) if number.is_finite() => return Ok(number),
        Some(number) if number.is_nan() => "nan".to_owned(),
        Some(number) => format_number(number),
        None => call.type_text(2),
    };
    Err(Raise::new(format!("bad argument #2 (number expected, got {got})")))
}

fn get_sides(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(Value::list(SIDES.into_iter().map(Value::from)));
    Ok(())
}

fn get_input(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(host.redstone[side].input > 0);
    Ok(())
}

fn get_analog_input(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(f64::from(host.redstone[side].input));
    Ok(())
}

fn get_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(host.redstone[side].output > 0);
    Ok(())
}

fn get_analog_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(f64::from(host.redstone[side].output));
    Ok(())
}

fn set_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    let on = if call.is_strict() { call.flag(2)? } else { call.truthy(2) };
    host.redstone[side].output = if on { 15 } else { 0 };
    Ok(())
}

fn set_analog_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    let strength = number(call)?;
    if !(0.0..=STRONGEST).contains(&strength) {
        return Err(Raise::new("Expected number in range 0-15"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 15")]
    let strength = strength as u8;
    host.redstone[side].output = strength;
    Ok(())
}

/// Sixteen colours, a bit each.
fn colours(call: &Call<'_>) -> Result<u16, Raise> {
    let colours = number(call)?;
    if !(0.0..=f64::from(u16::MAX)).contains(&colours) {
        return Err(Raise::new("Expected number in range 0-65535"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 0 and 65535"
    )]
    let colours = colours as u16;
    Ok(colours)
}

fn get_bundled_input(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(f64::from(host.redstone[side].bundled_input));
    Ok(())
}

fn get_bundled_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    call.push(f64::from(host.redstone[side].bundled_output));
    Ok(())
}

fn set_bundled_output(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    host.redstone[side].bundled_output = colours(call)?;
    Ok(())
}

fn test_bundled_input(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let side = side(call)?;
    let wanted = colours(call)?;
    call.push(host.redstone[side].bundled_input & wanted == wanted);
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "getAnalogInput", run: get_analog_input },
    Native { name: "getAnalogOutput", run: get_analog_output },
    Native { name: "getAnalogueInput", run: get_analog_input },
    Native { name: "getAnalogueOutput", run: get_analog_output },
    Native { name: "getBundledInput", run: get_bundled_input },
    Native { name: "getBundledOutput", run: get_bundled_output },
    Native { name: "getInput", run: get_input },
    Native { name: "getOutput", run: get_output },
    Native { name: "getSides", run: get_sides },
    Native { name: "setAnalogOutput", run: set_analog_output },
    Native { name: "setAnalogueOutput", run: set_analog_output },
    Native { name: "setBundledOutput", run: set_bundled_output },
    Native { name: "setOutput", run: set_output },
    Native { name: "testBundledInput", run: test_bundled_input },
];
