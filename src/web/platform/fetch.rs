//! Getting one of the page's own files. The Content-Security-Policy allows no other host.

use gloo_net::http::Request;
use std::fmt;

/// Why a file of the page's own could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No answer: offline, or the server is gone.
    Unreachable {
        /// What was asked for.
        path: String,
    },
    /// The server answered with something other than the file.
    Status {
        /// What was asked for.
        path: String,
        /// The HTTP status, for example 404.
        status: u16,
    },
    /// The answer broke off or was not text.
    Unreadable {
        /// What was asked for.
        path: String,
    },
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { path } => write!(f, "no answer when asking for {path}"),
            Self::Status { path, status } => write!(f, "the server answered {status} when asked for {path}"),
            Self::Unreadable { path } => write!(f, "the answer for {path} broke off"),
        }
    }
}

/// The text of a file beside the page, for example `samples/vllm.txt`.
pub async fn text(path: &str) -> Result<String, FetchError> {
    let path = path.to_owned();
    let Ok(response) = Request::get(&path).send().await else { return Err(FetchError::Unreachable { path }) };
    if !response.ok() {
        return Err(FetchError::Status { path, status: response.status() });
    }
    response.text().await.map_err(|_| FetchError::Unreadable { path })
}
