//! Random numbers that follow from a seed, the same on every machine and for ever.

/// Steele and Vigna's `SplitMix64`, for which every seed will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Numbers of their own for a name, so that one more drawn here changes none there.
    pub fn named(seed: u64, name: &str) -> Self {
        let mixed =
            name.bytes().fold(seed, |mixed, byte| (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        Self(mixed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below another; 0 below 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }

    /// A number of a range, its end left out.
    pub fn within(&mut self, range: std::ops::Range<u64>) -> u64 {
        range.start + self.below(range.end.saturating_sub(range.start))
    }

    /// From 0 to 1, which is left out.
    pub fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.draw() >> 32).expect("the upper half has 32 bits")) / 4_294_967_296.0
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several; nothing of none.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        let place = usize::try_from(self.below(things.len() as u64)).expect("it is a place in a list");
        things.get(place)
    }
}
