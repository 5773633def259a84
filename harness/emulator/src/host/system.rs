//! `os`: time, timers, the computer's id and label, turning it off.

use std::time::Duration;

use chrono::{Datelike, NaiveDate, TimeZone, Timelike, Utc};

use super::{Arguments, Host, Power};
use crate::fs::FsError;
use crate::lua::{Call, Native, NativeResult, Raise, Table, Value};

/// Text of `os.about`.
const ABOUT: &str =
    concat!("embedded-craftos ", env!("CARGO_PKG_VERSION"), ", a headless ComputerCraft emulator");
const HOURS: f64 = 24.0;
/// More than any program waits for.
const MOST_TIMERS: usize = 65_536;
/// A date is written in one step, which nothing can end.
const LONGEST_FORMAT: usize = 16 * 1024;
/// Labels are kept outside of the computer's own memory, and in a file; the game cuts them at 32 characters.
const LONGEST_LABEL: usize = 1024;
const MILLIS_PER_HOUR: f64 = 3_600_000.0;
/// The conversions of `strftime` that `os.date` takes.
const DATE_SPECIFIERS: &[u8] = b"aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";

/// Timers live outside of the computer's own memory.
fn room_for_timer(host: &Host) -> NativeResult {
    if host.timers.running() < MOST_TIMERS { Ok(()) } else { Err(Raise::new("Too many timers")) }
}

fn start_timer(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let delay = seconds(call.float(1)?);
    room_for_timer(host)?;
    let id = host.start_timer("timer", delay);
    call.push(id);
    Ok(())
}

/// A time that a program gave: nothing if it is no number, negative or infinite, for ever if it is too long.
fn seconds(number: f64) -> Duration {
    if number > 0.0 && number.is_finite() {
        Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX)
    } else {
        Duration::ZERO
    }
}

fn set_alarm(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let hour = call.float(1)?;
    if !hour.is_nan() && !(0.0..HOURS).contains(&hour) {
        return Err(Raise::new("Number out of range"));
    }
    // What is no number is no time of the day: that alarm is for now.
    let delay = host.clock.until_game_time(if hour.is_nan() { 0.0 } else { hour });
    room_for_timer(host)?;
    let id = host.start_timer("alarm", delay);
    call.push(id);
    Ok(())
}

fn cancel_timer(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let id = call.integer(1)?;
    if let Ok(id) = u32::try_from(id) {
        host.timers.cancel(id);
    }
    Ok(())
}

fn clock(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push((host.clock.uptime().as_secs_f64() * 1000.0).floor() / 1000.0);
    Ok(())
}

fn locale(call: &Call<'_>) -> Result<Vec<u8>, Raise> {
    Ok(call.text_or_nil(1)?.map_or_else(|| b"ingame".to_vec(), |name| name.to_ascii_lowercase()))
}

/// Hours since midnight of the host's day, and days since 1970, in UTC or where the host is.
fn calendar(host: &Host, local: bool) -> (f64, f64) {
    let epoch = host.clock.epoch();
    let mut now = epoch.as_secs_f64();
    if local {
        now += local_offset(host, now);
    }
    ((now / 3600.0) % HOURS, (now / 3600.0 / HOURS).floor())
}

#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970 fit")]
fn local_offset(host: &Host, epoch: f64) -> f64 {
    host.clock.local_offset(epoch as i64).into()
}

fn unsupported() -> Raise {
    Raise::new("Unsupported operation")
}

fn time(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if call.type_name(1) == "table" {
        let Value::Table(date) = call.value(1)? else {
            return Err(unsupported());
        };
        call.push(time_of(host, &date)?);
        return Ok(());
    }
    let time = match &locale(call)?[..] {
        b"ingame" => host.clock.game_time(),
        b"utc" => calendar(host, false).0,
        b"local" => calendar(host, true).0,
        _ => return Err(unsupported()),
    };
    call.push(time);
    Ok(())
}

/// Seconds since 1970 of a table with year, month, day and, if it has them, hour, min and sec.
fn time_of(host: &Host, date: &Table) -> Result<f64, Raise> {
    let field = |name: &str, default: Option<f64>| match date.get(name) {
        Value::Number(number) => Ok(number.floor()),
        Value::String(text) => str::from_utf8(text)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| Raise::new(format!("field '{name}' missing in date table"))),
        _ => default.ok_or_else(|| Raise::new(format!("field '{name}' missing in date table"))),
    };
    let (second, minute, hour) =
        (field("sec", Some(0.0))?, field("min", Some(0.0))?, field("hour", Some(12.0))?);
    let (day, month, year) = (field("day", None)?, field("month", None)?, field("year", None)?);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the calendar refuses what is out of range"
    )]
    let first = NaiveDate::from_ymd_opt(
        (year + ((month - 1.0) / 12.0).floor()) as i32,
        (month - 1.0).rem_euclid(12.0) as u32 + 1,
        1,
    )
    .and_then(|date| date.and_hms_opt(0, 0, 0))
    .ok_or_else(|| Raise::new("date result cannot be represented in this installation"))?;
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit a double")]
    let seconds =
        first.and_utc().timestamp() as f64 + (day - 1.0) * 86_400.0 + hour * 3600.0 + minute * 60.0 + second;
    Ok(seconds - local_offset(host, seconds))
}

fn day(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let day = match &locale(call)?[..] {
        b"ingame" => host.clock.game_day(),
        b"utc" => calendar(host, false).1,
        b"local" => calendar(host, true).1,
        _ => return Err(unsupported()),
    };
    call.push(day);
    Ok(())
}

fn epoch(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let now = host.clock.epoch();
    let millis = match &locale(call)?[..] {
        b"ingame" => (host.clock.game_hours() * MILLIS_PER_HOUR).floor(),
        b"utc" => (now.as_secs_f64() * 1000.0).floor(),
        b"local" => ((now.as_secs_f64() + local_offset(host, now.as_secs_f64())) * 1000.0).floor(),
        // Not documented, but the reference has it: nanoseconds for benchmarks.
        b"nano" => (now.as_secs_f64() * 1e9).floor(),
        _ => return Err(unsupported()),
    };
    call.push(millis);
    Ok(())
}

fn date(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let format = call.text_or_nil(1)?.unwrap_or_else(|| b"%c".to_vec());
    if format.len() > LONGEST_FORMAT {
        return Err(Raise::new("bad argument #1 (format is too long)"));
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit a double")]
    let now = host.clock.epoch().as_secs() as f64;
    let time = call.float_or(2, now)?;
    let (utc, format) = match format.strip_prefix(b"!") {
        Some(rest) => (true, rest.to_vec()),
        None => (false, format),
    };
    #[expect(clippy::cast_possible_truncation, reason = "the calendar refuses what is out of range")]
    let seconds = time.floor() as i64;
    let wrong = || Raise::new("date result cannot be represented in this installation");
    let moment = Utc.timestamp_opt(seconds, 0).single().ok_or_else(wrong)?;
    let offset = if utc { 0 } else { host.clock.local_offset(seconds) };
    let zone = chrono::FixedOffset::east_opt(offset).ok_or_else(wrong)?;
    let moment = moment.with_timezone(&zone);
    if format.starts_with(b"*t") {
        let mut table = Table::default();
        for (name, number) in [
            ("year", f64::from(moment.year())),
            ("month", moment.month().into()),
            ("day", moment.day().into()),
            ("hour", moment.hour().into()),
            ("min", moment.minute().into()),
            ("sec", moment.second().into()),
            ("wday", f64::from(moment.weekday().num_days_from_sunday()) + 1.0),
            ("yday", moment.ordinal().into()),
        ] {
            table.set(name, number);
        }
        table.set("isdst", false);
        call.push(Value::Table(table));
        return Ok(());
    }
    let text = format_date(&format, &moment, if offset == 0 { "UTC" } else { "" })?;
    call.push(Value::String(text));
    Ok(())
}

fn format_date(
    format: &[u8],
    moment: &chrono::DateTime<chrono::FixedOffset>,
    zone: &str,
) -> Result<Vec<u8>, Raise> {
    let mut text = Vec::new();
    let mut bytes = format.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let specifier = bytes.next();
        match specifier {
            Some(b'Y') => text.extend_from_slice(moment.year().to_string().as_bytes()),
            Some(b'Z') if !zone.is_empty() => text.extend_from_slice(zone.as_bytes()),
            Some(specifier) if DATE_SPECIFIERS.contains(&specifier) => {
                let one = format!("%{}", char::from(specifier));
                text.extend_from_slice(moment.format(&one).to_string().as_bytes());
            }
            other => {
                let mut shown: String = other.map(char::from).into_iter().collect();
                if matches!(other, Some(b'E' | b'O')) {
                    shown.extend(bytes.next().map(char::from));
                }
                return Err(Raise::new(format!("bad argument #1 (invalid conversion specifier '%{shown}')")));
            }
        }
    }
    Ok(text)
}

fn computer_id(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(host.id);
    Ok(())
}

fn computer_label(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if let Some(label) = host.label() {
        call.push(Value::String(label));
    }
    Ok(())
}

fn set_computer_label(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    // What is no text takes the label away, but for the game.
    let given = if call.is_strict() { call.text_or_nil(1)? } else { call.bytes(1) };
    let label = given.filter(|label| !label.is_empty());
    if label.as_ref().is_some_and(|label| label.len() > LONGEST_LABEL) {
        return Err(Raise::new("bad argument #1 (label is too long)"));
    }
    host.set_label(label).map_err(|error| Raise::new(FsError::from(error.into_source()).to_string()))
}

/// The exit code that a number means, as C takes it: what is no number, or too large for one, is none.
#[expect(clippy::cast_possible_truncation, reason = "the system takes the lowest bits of it anyway")]
fn exit_code(number: Option<f64>) -> i32 {
    let whole = number.map_or(0.0, f64::trunc);
    if whole.abs() < 2_f64.powi(63) { whole as i64 as i32 } else { 0 }
}

/// Turns off once the computer yields; the caller does not go on. Whatever it is given, it does not fail.
fn shutdown(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if !call.resumed() {
        host.power = Power::Off(exit_code(call.number_or_text(1)));
    }
    call.wait(0.0);
    Ok(())
}

/// For `additions.lua`: what the computer starts with has failed.
fn startup_failed(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let message = String::from_utf8_lossy(&call.text(1)?).into_owned();
    host.startup_failed(message);
    Ok(())
}

fn reboot(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    host.power = Power::Restarting;
    call.wait(0.0);
    Ok(())
}

fn about(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    call.push(ABOUT);
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "about", run: about },
    Native { name: "cancelAlarm", run: cancel_timer },
    Native { name: "cancelTimer", run: cancel_timer },
    Native { name: "clock", run: clock },
    Native { name: "computerID", run: computer_id },
    Native { name: "computerLabel", run: computer_label },
    Native { name: "date", run: date },
    Native { name: "day", run: day },
    Native { name: "epoch", run: epoch },
    Native { name: "getComputerID", run: computer_id },
    Native { name: "getComputerLabel", run: computer_label },
    Native { name: "reboot", run: reboot },
    Native { name: "setAlarm", run: set_alarm },
    Native { name: "setComputerLabel", run: set_computer_label },
    Native { name: "shutdown", run: shutdown },
    Native { name: "startup_failed", run: startup_failed },
    Native { name: "startTimer", run: start_timer },
    Native { name: "time", run: time },
];

#[cfg(test)]
mod tests {
    use super::exit_code;

    #[test]
    fn exit_codes_are_the_whole_part_of_a_number() {
        let codes = [(1.7, 1), (-1.0, -1), (-1.5, -1), (300.0, 300), (f64::NAN, 0), (f64::INFINITY, 0)];
        for (number, code) in codes {
            assert_eq!(exit_code(Some(number)), code, "{number}");
        }
        assert_eq!(exit_code(Some(1e10)) & 0xFF, 0);
        assert_eq!(exit_code(None), 0);
    }
}
