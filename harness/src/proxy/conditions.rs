//! What a link suffers: the dials of its faults. All of them are off until somebody turns one.

use std::time::Duration;

use embedded_craftos::Random;

use super::Direction;

/// One end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Computer,
    Bridge,
}

/// How late what goes in one direction arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delay {
    pub least: Duration,
    /// Up to so much is added to each frame by chance. Frames stay in their order.
    pub jitter: Duration,
}

impl Delay {
    /// How late the next frame is.
    pub fn draw(self, random: &mut Random) -> Duration {
        self.least + self.jitter.mul_f64(random.share())
    }
}

/// The dials of one computer's links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Conditions {
    pub to_bridge: Delay,
    pub to_computer: Delay,
    /// Nobody reads what this side sends.
    pub unread: Option<Side>,
    /// This side has lost the link, and the other does not know.
    pub half_open: Option<Side>,
    /// The next frame in this direction is the last, and ends in its middle.
    pub cut: Option<Direction>,
}

impl Conditions {
    pub fn delay(&self, direction: Direction) -> Delay {
        match direction {
            Direction::ToBridge => self.to_bridge,
            Direction::ToComputer => self.to_computer,
        }
    }

    pub fn delay_mut(&mut self, direction: Direction) -> &mut Delay {
        match direction {
            Direction::ToBridge => &mut self.to_bridge,
            Direction::ToComputer => &mut self.to_computer,
        }
    }
}
