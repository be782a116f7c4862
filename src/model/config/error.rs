//! Why a `config.json` could not be read.

use std::fmt;

/// Why a `config.json` could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text is not JSON.
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What was wrong there and what was expected.
        expected: String,
    },
    /// The text is JSON, but not an object.
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// A key is missing without which there is no architecture.
    Missing {
        /// The key, by its commonest name.
        key: String,
        /// What it would hold.
        expected: String,
    },
    /// A key holds something that cannot be used.
    Unusable {
        /// The key.
        key: String,
        /// What it holds.
        found: String,
        /// What was expected.
        expected: String,
    },
}

impl ConfigError {
    pub(super) fn not_an_object(value: &serde_json::Value) -> Self {
        Self::NotAnObject { found: super::json::kind(value) }
    }

    pub(super) fn missing(key: &str, expected: &str) -> Self {
        Self::Missing { key: key.to_owned(), expected: expected.to_owned() }
    }

    pub(super) fn unusable(key: &str, found: impl Into<String>, expected: &str) -> Self {
        Self::Unusable { key: key.to_owned(), found: found.into(), expected: expected.to_owned() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column, expected } => write!(f, "line {line}, column {column}: {expected}"),
            Self::NotAnObject { found } => write!(f, "found {found}, expected an object: {{ \"hidden_size\": … }}"),
            Self::Missing { key, expected } => write!(f, "no key {key:?}, expected {expected}"),
            Self::Unusable { key, found, expected } => write!(f, "{key:?} is {found}, expected {expected}"),
        }
    }
}

impl std::error::Error for ConfigError {}
