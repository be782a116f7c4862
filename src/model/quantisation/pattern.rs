//! The patterns by which quantisation configurations name modules.

use regex_lite::Regex;

/// A pattern for module names: plain, with `*`, or a regular expression after `re:`.
pub(super) enum Pattern {
    Regular(Regex),
    /// For modules of one layer, counted from 0.
    Layer(usize, String),
    /// For modules of any layer.
    Glob(String),
}

impl Pattern {
    /// Reads one; `None` for a regular expression that is none.
    pub(super) fn new(text: &str) -> Option<Self> {
        if let Some(expression) = text.strip_prefix("re:") {
            return Regex::new(&format!("^(?:{expression})")).ok().map(Self::Regular);
        }
        // Wrappers put different prefixes before `layers.`; other towers have layers of their own.
        let own = |prefix: &str| !["mtp", "vision", "visual", "audio"].iter().any(|other| prefix.contains(other));
        let Some((_, layers)) = text.split_once("layers.").filter(|(prefix, _)| own(prefix)) else {
            return Some(Self::Glob(text.to_owned()));
        };
        let numbered = layers.split_once('.').and_then(|(number, module)| Some((number.parse().ok()?, module)));
        Some(match numbered {
            Some((layer, module)) => Self::Layer(layer, module.to_owned()),
            None => Self::Glob(format!("model.layers.{layers}")),
        })
    }

    /// Whether it means this module of this layer (`self_attn.q_proj` of 3), or one around it.
    pub(super) fn matches(&self, layer: usize, module: &str) -> bool {
        let within = |pattern: &str, name: &str| glob(pattern, name) || glob(&format!("{pattern}.*"), name);
        match self {
            Self::Layer(only, pattern) => *only == layer && within(pattern, module),
            // Wrappers put their own prefixes before the language model's names.
            Self::Regular(expression) => ["model.", "language_model.model.", "model.language_model."]
                .iter()
                .any(|prefix| expression.is_match(&format!("{prefix}layers.{layer}.{module}"))),
            // The whole name, or the end of it: `self_attn.k_proj` means that of every layer.
            Self::Glob(pattern) if pattern.contains(['*', '.']) => {
                let name = format!("model.layers.{layer}.{module}");
                within(pattern, &name) || within(&format!("*.{pattern}"), &name)
            }
            Self::Glob(pattern) => module.split('.').any(|part| part == pattern),
        }
    }

    /// Whether it means a module that is in no layer: `lm_head`, also under a wrapper's prefix.
    pub(super) fn matches_outside(&self, name: &str) -> bool {
        match self {
            Self::Layer(..) => false,
            Self::Regular(expression) => {
                ["", "language_model."].iter().any(|prefix| expression.is_match(&format!("{prefix}{name}")))
            }
            Self::Glob(pattern) => glob(pattern, name) || pattern.ends_with(&format!(".{name}")),
        }
    }
}

/// Whether a text matches a pattern in which `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        match text.find(piece) {
            Some(at) => text = text.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn patterns_as_checkpoints_carry_them() {
        let matches = |pattern: &str, layer, module| Pattern::new(pattern).unwrap().matches(layer, module);
        assert!(matches("model.layers.0.self_attn.indexer*", 0, "self_attn.indexer.wq_b"));
        assert!(!matches("model.layers.0.self_attn.indexer*", 1, "self_attn.indexer.wq_b"));
        assert!(matches("language_model.model.layers.7.self_attn*", 7, "self_attn.q_b_proj"));
        assert!(matches("model.layers.*.self_attn", 3, "self_attn.o_proj"));
        assert!(matches("*.attn.*", 3, "attn.wq_b"));
        assert!(!matches("*.attn.*", 3, "self_attn.wq_b"));
        assert!(matches("re:.*self_attn.*", 3, "self_attn.o_proj"));
        assert!(matches(r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", 0, "mlp.down_proj"));
        assert!(!matches(r"re:.*mlp\.(gate|up|gate_up|down)_proj.*", 0, "mlp.experts.0.down_proj"));
        assert!(matches("model.layers.0*", 0, "mlp.down_proj"));
        assert!(!matches("mtp.layers.0*", 0, "mlp.down_proj"));
        assert!(matches("layers.0.ffn.experts", 0, "ffn.experts.0.w1"));
        assert!(matches("gate", 2, "mlp.gate"));
        assert!(!matches("lm_head", 2, "mlp.gate"));
        assert!(matches("self_attn.k_proj", 5, "self_attn.k_proj"));
        assert!(!matches("mlp.gate", 5, "mlp.gate_proj"));
        assert!(matches("re:.*attn.*", 0, "self_attn.q_proj"));
        let outside = |pattern: &str| Pattern::new(pattern).unwrap().matches_outside("lm_head");
        assert!(outside("lm_head") && outside("re:.*lm_head") && outside("language_model.lm_head"));
        assert!(outside("*lm_head*") && !outside("model.layers.0*") && !outside("re:.*self_attn.*"));
    }
}
