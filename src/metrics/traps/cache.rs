//! What the caches say.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::format::count;

/// Fewer look-ups may miss by chance.
const ENOUGH: f64 = 1000.0;

/// A prefix cache that is on and never hits.
pub fn no_prefix_hits(scene: &Scene<'_>) -> Option<String> {
    let queries = scene.all.value(Meaning::PrefixCacheQueries).filter(|queries| *queries >= ENOUGH)?;
    scene.all.value(Meaning::PrefixCacheHits).filter(|hits| *hits == 0.0)?;
    let block = scene.series.keys().find_map(|key| key.label("block_size")?.parse::<u32>().ok());
    let block = block.map(|tokens| format!(" (a block is {tokens} tokens)"));
    Some(format!(
        "of {} tokens (older servers: blocks) looked up in the prefix cache none was there: no two prompts begin with the same whole \
         block{}, or nothing is kept long enough",
        count(queries),
        block.unwrap_or_default()
    ))
}
