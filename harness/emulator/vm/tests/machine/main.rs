//! The machine as its host sees it: what it promises whatever program runs in it.

mod collect;
mod collisions;
mod common;
mod embed;
mod hooks;
mod loading;
mod quick;
mod saving;
mod waiting;
