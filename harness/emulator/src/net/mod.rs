//! The network: rules, requests, `WebSockets`.
