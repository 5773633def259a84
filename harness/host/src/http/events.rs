//! How long one event of a stream may become: counted as the bytes come, before anything keeps them.

/// Counts the bytes of the event that is being sent.
#[derive(Debug)]
pub struct EventBound {
    most: usize,
    event: usize,
    line: usize,
    after_return: bool,
}

impl EventBound {
    pub fn new(most: usize) -> Self {
        Self { most, event: 0, line: 0, after_return: false }
    }

    /// Takes the next bytes, and says whether every event is still within the bound.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let continues_return =
                std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
            if continues_return {
                continue;
            }
            self.event += 1;
            if !matches!(byte, b'\r' | b'\n') {
                self.line += 1;
            } else if std::mem::take(&mut self.line) == 0 {
                // An empty line ends an event.
                self.event = 0;
            }
            if self.event > self.most {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_any_number_fit_and_one_that_is_too_long_does_not() {
        for end in ["\n", "\r\n", "\r"] {
            let event = format!("id: 1{end}data: 12345{end}{end}");
            let mut bound = EventBound::new(20);
            for _ in 0..100 {
                assert!(bound.take(event.as_bytes()), "{end:?}");
            }
            for byte in event.repeat(100).bytes() {
                assert!(bound.take(&[byte]), "{end:?}");
            }
            assert!(!bound.take(b"data: 123456789012345678901"));
        }
    }
}
