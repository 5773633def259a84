//! `math.random` and `math.randomseed`: a generator for each computer.
//!
//! Lua 5.2 takes its numbers from the C library, whose generator all computers of the process would share.

use super::{Arguments, Host};
use crate::lua::{Call, Native, NativeResult, Raise};

/// The upper bits of a word that fill a double's fraction.
const FRACTION_BITS: u32 = 53;

/// The generator xoshiro256++.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Spreads a seed over the whole state.
    pub fn new(seed: u64) -> Self {
        let mut spread = seed;
        let state = std::array::from_fn(|_| {
            spread = spread.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (spread ^ (spread >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        });
        Self { state }
    }

    /// A generator that nobody can foresee.
    pub fn unforeseen() -> Self {
        Self::new(getrandom::u64().unwrap_or_default())
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// At least 0 and less than 1.
    #[expect(clippy::cast_precision_loss, reason = "exactly as many bits are kept as fit")]
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> (u64::BITS - FRACTION_BITS)) as f64 / (1_u64 << FRACTION_BITS) as f64
    }

    /// A whole number within two others.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        (self.fraction() * (high - low + 1.0)).floor() + low
    }
}

fn random(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (low, high) = match call.len() {
        0 => {
            call.push(host.random.fraction());
            return Ok(());
        }
        1 => (1.0, call.float(1)?.floor()),
        2 => (call.float(1)?.floor(), call.float(2)?.floor()),
        _ => return Err(Raise::new("wrong number of arguments")),
    };
    if low > high || low.is_nan() || high.is_nan() {
        return Err(Raise::new("bad argument #1 (interval is empty)"));
    }
    call.push(host.random.between(low, high));
    Ok(())
}

fn random_seed(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let seed = call.float_or(1, 0.0)?;
    host.random = Random::new(seed.to_bits());
    Ok(())
}

pub const NATIVES: &[Native] =
    &[Native { name: "random", run: random }, Native { name: "randomseed", run: random_seed }];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_another_one_others() {
        let numbers = |seed: u64| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..8).map(|_| random.next()).collect()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }

    #[test]
    fn fractions_fill_the_interval() {
        let mut random = Random::new(1);
        let fractions: Vec<f64> = (0..10_000).map(|_| random.fraction()).collect();
        assert!(fractions.iter().all(|fraction| (0.0..1.0).contains(fraction)));
        let mean = fractions.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
