//! The list of all steps. A step is a table with one key that says what is done, and `expect` beside it where something
//! is expected.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use super::{Act, Expect};

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    kind: Kind,
    pub expect: Expect,
}

macro_rules! steps {
    ($($name:ident($of:ty)),* $(,)?) => {
        #[derive(Debug, Clone)]
        enum Kind {
            $($name($of),)*
        }

        /// The keys that a step may have.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Word {
            Expect,
            $($name,)*
        }

        impl Kind {
            fn read<'de, M: MapAccess<'de>>(word: Word, map: &mut M) -> Result<Option<Self>, M::Error> {
                Ok(match word {
                    Word::Expect => None,
                    $(Word::$name => Some(Self::$name(map.next_value()?)),)*
                })
            }
        }

        impl Step {
            pub fn act(&self) -> &dyn Act {
                match &self.kind {
                    $(Kind::$name(step) => step,)*
                }
            }

            pub fn act_mut(&mut self) -> &mut dyn Act {
                match &mut self.kind {
                    $(Kind::$name(step) => step,)*
                }
            }
        }
    };
}

steps! {
    Say(super::say::Say),
    Call(super::call::Call),
    Exec(super::exec::Exec),
    Boot(super::boot::Boot),
    Stop(super::stop::Stop),
    Kill(super::kill::Kill),
    Reboot(super::reboot::Reboot),
    Cut(super::cut::Cut),
    Restore(super::cut::Restore),
    Mute(super::mute::Mute),
    Unmute(super::mute::Unmute),
    Bridge(super::bridge::BridgeStep),
    Wait(super::wait::Wait),
    Put(super::put::Put),
    Read(super::read::Read),
    Event(super::event::Event),
    Timer(super::timer::Timer),
    Type(super::type_text::TypeText),
    Paste(super::paste::Paste),
    Key(super::key::Key),
    Click(super::click::Click),
    Drag(super::drag::Drag),
    Scroll(super::scroll::Scroll),
    Screen(super::screen::ScreenStep),
    Attach(super::attach::Attach),
    Detach(super::detach::Detach),
    Peripheral(super::peripheral::PeripheralStep),
    Frame(super::frame::Frame),
    Together(super::together::Together),
    Within(super::within::Within),
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Steps;

        impl<'de> Visitor<'de> for Steps {
            type Value = Step;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table with one step in it")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Step, M::Error> {
                let (mut kind, mut expect): (_, Expect) = (None, Expect::default());
                while let Some(word) = map.next_key::<Word>()? {
                    match Kind::read(word, &mut map)? {
                        None => {
                            expect = map.next_value()?;
                            if expect.is_empty() {
                                return Err(M::Error::custom("`expect` names nothing that is expected"));
                            }
                        }
                        Some(_) if kind.is_some() => {
                            return Err(M::Error::custom(
                                "a step does one thing: give the second one a table of its own",
                            ));
                        }
                        found => kind = found,
                    }
                }
                let kind = kind.ok_or_else(|| M::Error::custom("there is no step in this table"))?;
                Ok(Step { kind, expect })
            }
        }

        deserializer.deserialize_map(Steps)
    }
}

impl Step {
    /// What is wrong with it and with the steps inside it, as far as the file says.
    pub fn check(&self) -> Result<(), String> {
        self.act().check()?;
        self.expect.fits(self.act().expects())?;
        self.act().inner().into_iter().try_for_each(Self::check)
    }

    /// It, and all steps inside it.
    pub fn all(&self) -> Vec<&Self> {
        let inner = self.act().inner().into_iter().flat_map(Self::all);
        std::iter::once(self).chain(inner).collect()
    }
}
