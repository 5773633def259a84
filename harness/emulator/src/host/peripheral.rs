//! `peripheral`: calls to what is attached.

use super::{Arguments, Host};
use crate::lua::{Call, Native, NativeResult, Raise, Value};

fn name(call: &Call<'_>) -> Result<String, Raise> {
    call.text(1).map(|name| String::from_utf8_lossy(&name).into_owned())
}

fn is_present(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let present = host.has_peripheral(&name(call)?);
    call.push(present);
    Ok(())
}

fn get_type(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let types = host.with_peripheral(&name(call)?, |peripheral, _| peripheral.types());
    for kind in types.unwrap_or_default() {
        call.push(kind);
    }
    Ok(())
}

fn has_type(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (name, wanted) = (name(call)?, call.text(2)?);
    let found = host.with_peripheral(&name, |peripheral, _| {
        peripheral.types().iter().any(|kind| kind.as_bytes() == wanted)
    });
    call.push(found);
    Ok(())
}

fn get_methods(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if let Some(methods) = host.with_peripheral(&name(call)?, |peripheral, _| peripheral.methods()) {
        call.push(Value::list(methods.into_iter().map(Value::from)));
    }
    Ok(())
}

fn call_method(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let name = name(call)?;
    let method = String::from_utf8_lossy(&call.text(2)?).into_owned();
    call.shift(2);
    host.with_peripheral(&name, |peripheral, host| peripheral.call(host, &name, &method, call))
        .unwrap_or(Ok(()))
}

pub const NATIVES: &[Native] = &[
    Native { name: "call", run: call_method },
    Native { name: "getMethods", run: get_methods },
    Native { name: "getType", run: get_type },
    Native { name: "hasType", run: has_type },
    Native { name: "isPresent", run: is_present },
];
