//! What cannot be right in an architecture that could be read.

use super::json::kind;
use super::keys::Keys;
use crate::model::architecture::Architecture;
use crate::model::attention::Mixer;
use crate::paste::WarningKind;

/// Lists that say of every layer of what kind it is.
const PER_LAYER: [&str; 3] = ["layer_types", "mlp_layer_types", "indexer_types"];

/// Warns of dimensions that do not fit one another.
pub(super) fn doubt(keys: &Keys, architecture: &Architecture) {
    let warn = |fact: String| keys.warn(WarningKind::BadValue, fact);
    let layers = architecture.layer_count() as usize;
    for key in PER_LAYER {
        let Some(value) = keys.get(key) else { continue };
        match keys.texts(key) {
            None => warn(format!("{key:?} is {}, expected a list of texts, one per layer", kind(value))),
            Some(kinds) if kinds.len() < layers => warn(format!("{key:?} names {} of {layers} layers", kinds.len())),
            Some(_) => {}
        }
    }
    for group in &architecture.layers {
        let layer = &group.layer;
        let mixers = match &layer.mixer {
            Some(Mixer::Parallel(mixers)) => mixers.as_slice(),
            mixer => mixer.as_slice(),
        };
        for mixer in mixers {
            let Mixer::Grouped(attention) = mixer else { continue };
            let (heads, pairs) = (attention.heads, attention.key_value_heads);
            if pairs == 0 || !heads.is_multiple_of(pairs) {
                warn(format!("{heads} attention heads cannot share {pairs} key/value heads evenly"));
            }
            if attention.head_size == 0 {
                warn("attention heads 0 wide: \"head_dim\" is 0, or there are more heads than \"hidden_size\"".into());
            }
        }
        if layer.dense.is_some_and(|dense| dense.width == 0) {
            warn("an MLP 0 wide, expected \"intermediate_size\" above 0".into());
        }
        if let Some(experts) = layer.experts {
            if experts.chosen == 0 || experts.chosen > experts.experts {
                warn(format!("{} of {} experts chosen per token", experts.chosen, experts.experts));
            }
            if experts.width == 0 {
                warn("experts 0 wide, expected \"moe_intermediate_size\" above 0".into());
            }
        }
    }
}
