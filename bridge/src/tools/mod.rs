//! Tools that are declared in `_index.yaml` files and written in Lua. The bridge reads, checks and lists them; computers
//! run them. How a call is made is [`crate::mcp::declared`].
//!
//! - [`finding`] and [`yaml`]: what is wrong, with file and line; YAML that knows its lines.
//! - [`index`]: one `_index.yaml`; [`handler`], [`syntax`] and [`schema`]: what its entries point to, checked.
//! - [`catalog`]: all tools of some folders; [`toolbox`]: those that are served now; [`watch`]: edits are served.
//! - [`check`]: `mcp-bridge tools check`.

pub mod catalog;
pub mod check;
pub mod finding;
pub mod handler;
pub mod index;
pub mod schema;
pub mod syntax;
pub mod toolbox;
pub mod watch;
pub mod yaml;

pub use catalog::{Catalog, LuaTool};
pub use finding::Finding;
pub use handler::Handler;
pub use index::Target;
pub use toolbox::Toolbox;
