//! `string.format`, a directive at a time.

use craftos_lua::text::format::{
    Conversion, FormatError, Piece, ZeroByte, directive, next_piece, quote, quote_number,
};

use crate::{number_of, report, rows, unescape};

#[derive(Clone)]
enum Argument {
    Number(f64),
    Text(Vec<u8>),
}

/// Prints one format with one argument, as `string.format` does.
fn print(format: &[u8], argument: &Argument) -> Result<Vec<u8>, Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(piece) = next_piece(format, at) {
        match piece {
            Piece::Literal { text, next } => {
                out.extend_from_slice(&format[text]);
                at = next;
            }
            Piece::Directive { options } => {
                let (directive, next) = directive(format, options).map_err(FormatError::message)?;
                at = next;
                let result = match (directive.conversion(), argument) {
                    (Conversion::Character, Argument::Number(value)) => {
                        directive.character(*value, &mut out);
                        Ok(())
                    }
                    (Conversion::Signed, Argument::Number(value)) => directive.signed(*value, &mut out),
                    (Conversion::Unsigned, Argument::Number(value)) => directive.unsigned(*value, &mut out),
                    (Conversion::Float, Argument::Number(value)) => {
                        directive.float(*value, &mut out);
                        Ok(())
                    }
                    (Conversion::Quoted, Argument::Number(value)) => {
                        quote_number(*value, &mut out);
                        Ok(())
                    }
                    (Conversion::Quoted, Argument::Text(text)) => {
                        quote(text, &mut out);
                        Ok(())
                    }
                    (Conversion::Text, Argument::Text(text)) => {
                        directive.text(text, ZeroByte::Ends, &mut out);
                        Ok(())
                    }
                    (Conversion::Text, Argument::Number(value)) => {
                        let mut text = Vec::new();
                        quote_number(*value, &mut text);
                        directive.text(&text, ZeroByte::Ends, &mut out);
                        Ok(())
                    }
                    (_, Argument::Text(_)) => panic!("texts are only given to %s and %q"),
                };
                result.map_err(|message| message.as_bytes().to_vec())?;
            }
        }
    }
    Ok(out)
}

#[test]
fn directives_print_as_in_the_reference() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows(include_str!("format.txt")) {
        let [format, kind, argument, outcome, expected] = row[..] else { panic!("five fields: {row:?}") };
        let value = match kind {
            "number" => Argument::Number(number_of(argument)),
            _ => Argument::Text(unescape(argument)),
        };
        let expected = match outcome {
            "prints" => Ok(unescape(expected)),
            _ => Err(unescape(expected)),
        };
        let actual = print(&unescape(format), &value);
        compared += 1;
        if actual != expected {
            let show = |result: &Result<Vec<u8>, Vec<u8>>| match result {
                Ok(text) => format!("`{}`", text.escape_ascii()),
                Err(text) => format!("error `{}`", text.escape_ascii()),
            };
            differences.push(format!("{format} of {argument}: {}, not {}", show(&actual), show(&expected)));
        }
    }
    report(&differences, compared);
}

#[test]
fn a_zero_byte_stays_where_it_is_asked_for() {
    let (directive, _) = directive(b"%5s", 1).expect("a directive");
    let mut out = Vec::new();
    directive.text(b"a\0b", ZeroByte::Stays, &mut out);
    assert_eq!(out, b"  a\0b");
}
