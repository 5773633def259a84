//! `tostring` and `tonumber`.

use craftos_lua::text::number::{NumberText, parse, parse_base};

use crate::{number_of, report, rows, unescape};

#[test]
fn numbers_and_texts_become_each_other_as_in_the_reference() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows(include_str!("number.txt")) {
        let [call, argument, expected] = row[..] else { panic!("three fields: {row:?}") };
        let shown =
            |value: Option<f64>| value.map_or("nil".to_owned(), |value| format!("{:016x}", value.to_bits()));
        let actual = match call.strip_prefix("base") {
            Some(base) => shown(parse_base(&unescape(argument), base.parse().expect("a base"))),
            None if call == "tonumber" => shown(parse(&unescape(argument))),
            None => String::from_utf8_lossy(NumberText::of(number_of(argument)).as_bytes()).into_owned(),
        };
        compared += 1;
        if actual != expected {
            differences.push(format!("{call} `{argument}`: `{actual}`, not `{expected}`"));
        }
    }
    report(&differences, compared);
}
