//! Where something of the project goes on a computer: `"/lib"`, or `{ path = "/lib", mount = true }`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A place on a computer, and how it is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub to: String,
    /// Whether the computer sees the folder itself, read-only, instead of a copy.
    pub mount: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    path: String,
    #[serde(default)]
    mount: bool,
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlaceVisitor)
    }
}

/// An untagged enum would say only that nothing fits; this one says which key is wrong.
struct PlaceVisitor;

impl<'de> Visitor<'de> for PlaceVisitor {
    type Value = Place;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a path on the computer, or `{ path = \"…\", mount = true }`")
    }

    fn visit_str<E>(self, path: &str) -> Result<Place, E> {
        Ok(Place { to: path.to_owned(), mount: false })
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Place, M::Error> {
        let Table { path, mount } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Place { to: path, mount })
    }
}
