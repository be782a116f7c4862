//! The link: a whole scenario in the part of an address after `#`, which no browser sends anywhere.
//!
//! `v=1&model=glm-5&gpu=rtx-pro-6000&gpus=8&…&dump=<packed>`: typed numbers are readable, under their
//! [`Field`]'s key and in its unit. What a person would not read anyway (a dump's numbers, a pasted
//! architecture) is JSON, deflated, in URL-safe base64.
//!
//! Links live long. `v` says which version of this format wrote one; a newer version than ours is
//! refused politely, older ones are brought up to date by `upgrade`. Keys nobody knows are ignored.

use super::{Configured, EstimateChoice, Field, GpuChoice, Measured, ModelChoice, Scenario};
use crate::hardware::{self, Gpu};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read as _, Write as _};

/// The version of the format that [`encode`] writes.
pub const VERSION: u32 = 1;

/// A packed part may not unfold to more than this: a link is no place for a zip bomb.
const MOST_UNPACKED: u64 = 4 << 20;

/// A part of more is not written: it is packed again with every change, and no address should be so long.
const MOST_PACKED: usize = 512 << 10;

/// Why a link cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkError {
    /// It has no version: it is not one of ours, or its beginning was cut off.
    NoVersion,
    /// It was written by a newer version of this tool.
    Newer(String),
    /// A part cannot be read; which one, and what was expected.
    Broken {
        /// The part's key.
        key: String,
        /// What was expected there.
        expected: &'static str,
    },
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoVersion => f.write_str("the link has no version: it is incomplete or not one of this tool's"),
            Self::Newer(version) => write!(f, "the link is of version {version}, newer than this tool's {VERSION}"),
            Self::Broken { key, expected } => write!(f, "the link's part {key} is damaged: expected {expected}"),
        }
    }
}

impl std::error::Error for LinkError {}

/// Writes a scenario as the part of an address after `#`.
#[must_use]
pub fn encode(scenario: &Scenario) -> String {
    let mut parts = vec![format!("v={VERSION}")];
    match &scenario.model {
        Some(ModelChoice::Preset(id)) => parts.push(format!("model={id}")),
        Some(ModelChoice::Custom(configured)) => {
            parts.extend(pack("arch", &configured.architecture));
            parts.extend(configured.quantisation.as_ref().and_then(|quantisation| pack("quant", quantisation)));
        }
        None => {}
    }
    parts.extend(scenario.gpu.as_ref().map(|gpu| format!("gpu={}", gpu.id())));
    if let Some(GpuChoice::Own(name)) = scenario.gpu.as_ref().filter(|gpu| **gpu != GpuChoice::Own(String::new())) {
        parts.push(format!("gpuname={}", URL_SAFE_NO_PAD.encode(name.clone().into_bytes())));
    }
    for (left, what) in [(scenario.left_over.gpu, "gpu"), (scenario.left_over.count, "count")] {
        parts.extend(left.then(|| format!("leftover={what}")));
    }
    if scenario.choice != EstimateChoice::default() {
        parts.push(format!("estimate={}", scenario.choice.key()));
    }
    parts.extend(scenario.typed.iter().map(|(field, value)| format!("{}={value}", field.spec().key)));
    if let Some(measured) = &scenario.measured {
        parts.extend(pack("dump", measured).or_else(|| pack("dump", &measured.as_one())));
    }
    parts.join("&")
}

/// Reads a link, with or without its `#`. A link of no parts at all is `Ok(None)`.
///
/// # Errors
/// [`LinkError`] where it is not a link of this tool, is newer than it, or is damaged.
pub fn decode(link: &str) -> Result<Option<Scenario>, LinkError> {
    let link = as_written(link);
    if link.is_empty() {
        return Ok(None);
    }
    let parts = link.trim_start_matches('#').split('&').filter_map(|part| part.split_once('='));
    let version = parts.clone().find(|(key, _)| *key == "v").map(|(_, version)| version);
    match version.map(str::parse::<u32>) {
        None => return Err(LinkError::NoVersion),
        Some(Ok(1..=VERSION)) => {}
        Some(Ok(0)) => return Err(LinkError::Broken { key: "v".to_owned(), expected: "a version from 1 on" }),
        Some(Ok(_)) => return Err(LinkError::Newer(version.unwrap_or_default().to_owned())),
        Some(Err(_)) => return Err(LinkError::Broken { key: "v".to_owned(), expected: "a whole number" }),
    }
    let mut scenario = Scenario::default();
    for (key, text) in parts {
        read_part(&mut scenario, key, text)?;
    }
    Ok(Some(scenario))
}

/// Where a link was cut short: its last part, if that is a key without a value or the beginning of one. A cut within a
/// value cannot be told from a shorter value.
///
/// ```
/// use decodescope::scenario::link::cut_at;
/// assert_eq!(cut_at("#v=1&gpu=h100-sxm&ba").as_deref(), Some("ba"));
/// assert_eq!(cut_at("#v=1&gpu=h100-sxm&batch=").as_deref(), Some("batch="));
/// assert_eq!(cut_at("#v=1&gpu=h100-sxm&batch=3"), None);
/// ```
#[must_use]
pub fn cut_at(link: &str) -> Option<String> {
    let link = as_written(link);
    let (_, last) = link.rsplit_once('&')?;
    let (_, value) = last.split_once('=').unwrap_or((last, ""));
    value.is_empty().then(|| last.to_owned())
}

/// The link as it was written, out of what mail programs, chats and editors make of one.
fn as_written(link: &str) -> String {
    let link = link.trim().trim_start_matches('#').trim_end_matches(['.', ',', ';', ')', '>', '"', '\'']);
    let link = link.replace("&amp;", "&");
    if !link.contains('%') {
        return link;
    }
    let mut bytes = link.as_bytes().iter();
    let mut written = Vec::with_capacity(link.len());
    while let Some(&byte) = bytes.next() {
        let rest = bytes.as_slice();
        let code = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.filter(|_| byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                written.push(decoded);
                bytes.nth(1);
            }
            None => written.push(byte),
        }
    }
    String::from_utf8_lossy(&written).into_owned()
}

fn read_part(scenario: &mut Scenario, key: &str, text: &str) -> Result<(), LinkError> {
    let broken = |expected| LinkError::Broken { key: key.to_owned(), expected };
    match key {
        "model" if crate::model::preset(text).is_some() => scenario.model = Some(ModelChoice::Preset(text.to_owned())),
        "model" => return Err(broken("the id of a known model")),
        "arch" => {
            let architecture = unpack(text).ok_or_else(|| broken("a packed architecture"))?;
            scenario.model = Some(ModelChoice::Custom(Box::new(Configured { architecture, quantisation: None })));
        }
        // Written after the architecture that it is of.
        "quant" => {
            if let Some(ModelChoice::Custom(configured)) = &mut scenario.model {
                configured.quantisation = Some(unpack(text).ok_or_else(|| broken("a packed quantisation"))?);
            }
        }
        // Its name may have come before.
        "gpu" if text == Gpu::OWN => {
            scenario.gpu.get_or_insert_with(|| GpuChoice::Own(String::new()));
        }
        "gpu" if hardware::find(text).is_some() => scenario.gpu = Some(GpuChoice::Known(text.to_owned())),
        "gpu" => return Err(broken("the id of a known GPU")),
        "gpuname" => {
            let name = URL_SAFE_NO_PAD.decode(text).ok().and_then(|name| String::from_utf8(name).ok());
            scenario.gpu = Some(GpuChoice::own(&name.ok_or_else(|| broken("a packed name"))?));
        }
        "leftover" => {
            scenario.left_over.gpu |= text == "gpu";
            scenario.left_over.count |= text == "count";
        }
        "estimate" => {
            scenario.choice = EstimateChoice::by_key(text).ok_or_else(|| broken("the name of an estimate"))?;
        }
        "dump" => {
            let measured: Measured = unpack(text).ok_or_else(|| broken("a packed dump"))?;
            scenario.measured = Some(measured);
        }
        _ => {
            if let Some(field) = Field::by_key(key) {
                let value: f64 = text.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| broken("a number"))?;
                scenario.typed.insert(field, field.spec().nearest(value));
            }
        }
    }
    Ok(())
}

fn pack(key: &str, value: &impl Serialize) -> Option<String> {
    let json = serde_json::to_vec(value).ok().filter(|json| json.len() <= MOST_PACKED)?;
    let mut deflater = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    deflater.write_all(&json).ok()?;
    Some(format!("{key}={}", URL_SAFE_NO_PAD.encode(deflater.finish().ok()?)))
}

fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    let packed = URL_SAFE_NO_PAD.decode(text).ok()?;
    let mut json = Vec::new();
    flate2::read::DeflateDecoder::new(packed.as_slice()).take(MOST_UNPACKED).read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}
