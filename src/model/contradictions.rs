//! What is contradictory in a split of a model: counted as well as can be, and said.

use super::architecture::Architecture;
use super::attention::Mixer;
use super::split::Split;

impl Split {
    /// What a person who chose this split for this model, and so many sequences, should hear: what has no effect, what
    /// engines refuse, and what is counted otherwise than it seems. One sentence each.
    ///
    /// ```
    /// use decodescope::model::{Split, preset};
    /// let llama = &preset("llama-3.1-8b").unwrap().architecture;
    /// assert!(Split::tensor(8).contradictions(llama, 1.0).is_empty());
    /// // 32 query heads are not divisible by 3.
    /// assert!(Split::tensor(3).contradictions(llama, 1.0)[0].contains("32 query heads"));
    /// ```
    #[must_use]
    pub fn contradictions(&self, architecture: &Architecture, sequences: f64) -> Vec<String> {
        let said = [
            self.heads(architecture),
            self.key_value_heads(architecture),
            self.context_parallel(architecture),
            self.experts(architecture),
            self.groups(architecture, sequences),
            self.pipeline(architecture),
        ];
        said.into_iter().flatten().collect()
    }

    fn heads(&self, architecture: &Architecture) -> Option<String> {
        let ranks = self.tensor_parallel.max(1);
        let heads = mixers(architecture).filter_map(Mixer::heads).find(|heads| !heads.is_multiple_of(ranks))?;
        Some(format!(
            "tensor parallelism over {ranks} does not divide the {heads} query heads: vLLM refuses it, and fractions of \
             heads are counted"
        ))
    }

    fn key_value_heads(&self, architecture: &Architecture) -> Option<String> {
        let ranks = self.tensor_parallel.max(1);
        let uneven = |heads: &u32| *heads > 0 && !heads.is_multiple_of(ranks) && !ranks.is_multiple_of(*heads);
        let heads = mixers(architecture).filter_map(Mixer::key_value_heads).find(uneven)?;
        Some(format!(
            "{heads} key/value heads can be neither dealt to nor copied evenly over {ranks} tensor-parallel ranks: \
             fractions of heads are counted"
        ))
    }

    fn context_parallel(&self, architecture: &Architecture) -> Option<String> {
        let wanted = self.decode_context_parallel;
        let caches = mixers(architecture).flat_map(Mixer::cache);
        let ranks = self.tensor_parallel.max(1);
        let most = caches.map(|cache| ranks / cache.sharding.divisor(ranks)).max().unwrap_or(1);
        match most {
            _ if wanted <= most => None,
            1 => Some(format!(
                "decode context parallelism of {wanted} has no effect: {ranks} tensor-parallel ranks hold no cache twice"
            )),
            most => Some(format!(
                "decode context parallelism of {wanted} is counted as {most}: so many of {ranks} tensor-parallel ranks \
                 hold the same cache"
            )),
        }
    }

    fn experts(&self, architecture: &Architecture) -> Option<String> {
        if !self.expert_parallel {
            return None;
        }
        let ranks = self.stage_ranks();
        let Some(experts) = architecture.layers.iter().filter_map(|group| group.layer.experts).next() else {
            return Some("expert parallelism has no effect: the model has no experts".to_owned());
        };
        match experts.experts {
            _ if ranks == 1 => Some("expert parallelism has no effect on one rank".to_owned()),
            few if few < ranks => Some(format!("{few} experts over {ranks} ranks: some hold none")),
            _ => None,
        }
    }

    fn groups(&self, architecture: &Architecture, sequences: f64) -> Option<String> {
        let groups = self.data_parallel_attention;
        if groups <= 1 {
            return None;
        }
        if !architecture.layers.iter().any(|group| group.layer.experts.is_some()) {
            return Some(format!(
                "the {groups} data-parallel groups of a model without experts are servers of their own, that exchange nothing"
            ));
        }
        (sequences < f64::from(groups)).then(|| {
            format!("a batch of {sequences} leaves some of {groups} data-parallel groups idle: a busy one is counted")
        })
    }

    fn pipeline(&self, architecture: &Architecture) -> Option<String> {
        let (stages, layers) = (self.pipeline_parallel, architecture.layer_count());
        if stages > layers {
            return Some(format!(
                "{stages} pipeline stages for {layers} layers: some have no layer, which vLLM refuses"
            ));
        }
        (stages > 1).then(|| {
            format!(
                "a token passes {stages} pipeline stages one after another: what is read in a step is the sum over them, \
                 and memory is that of the fullest stage, of {} layers",
                layers.div_ceil(stages)
            )
        })
    }
}

/// The mixers of all kinds of layers, those side by side one by one.
fn mixers(architecture: &Architecture) -> impl Iterator<Item = &Mixer> {
    let mixers = architecture.layers.iter().filter_map(|group| group.layer.mixer.as_ref());
    mixers.flat_map(|mixer| match mixer {
        Mixer::Parallel(side_by_side) => side_by_side.iter().collect(),
        one => vec![one],
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::preset;

    fn said(model: &str, split: Split, sequences: f64) -> String {
        split.contradictions(&preset(model).unwrap().architecture, sequences).join("\n")
    }

    /// Llama-3.1-8B: 32 layers, 32 query heads, 8 key/value heads, no experts. GLM-5 keeps one latent.
    #[test]
    fn contradictions_are_said() {
        let one = Split::tensor(1);
        for (model, split, sequences, what) in [
            ("llama-3.1-8b", Split { expert_parallel: true, ..Split::tensor(8) }, 1.0, "no experts"),
            ("llama-3.1-8b", Split::tensor(64), 1.0, "over 64 does not divide the 32 query heads"),
            ("llama-3.1-8b", Split::tensor(3), 1.0, "8 key/value heads"),
            ("llama-3.1-8b", Split { decode_context_parallel: 4, ..Split::tensor(4) }, 1.0, "of 4 has no effect"),
            ("glm-5", Split { decode_context_parallel: 16, ..Split::tensor(8) }, 1.0, "of 16 is counted as 8"),
            ("llama-3.1-8b", Split { pipeline_parallel: 64, ..one }, 1.0, "64 pipeline stages for 32 layers"),
            ("deepseek-v3", Split { pipeline_parallel: 8, ..one }, 1.0, "of 8 layers"),
            ("llama-3.1-70b", Split { data_parallel_attention: 8, ..one }, 8.0, "servers of their own"),
            ("deepseek-v3", Split { data_parallel_attention: 64, ..one }, 1.0, "idle"),
            ("mixtral-8x7b", Split { expert_parallel: true, ..Split::tensor(16) }, 1.0, "8 experts over 16 ranks"),
        ] {
            assert!(said(model, split, sequences).contains(what), "{what}: {}", said(model, split, sequences));
        }
    }

    #[test]
    fn of_a_common_split_there_is_nothing_to_say() {
        let wide = Split { expert_parallel: true, data_parallel_attention: 8, ..Split::tensor(4) };
        assert_eq!(said("deepseek-v3", wide, 64.0), "");
        assert_eq!(said("glm-5", Split { decode_context_parallel: 8, ..Split::tensor(8) }, 1.0), "");
        for model in ["llama-3.1-70b", "qwen3-30b-a3b", "gpt-oss-120b", "mixtral-8x7b"] {
            assert_eq!(said(model, Split::tensor(8), 1.0), "", "{model}");
        }
    }
}
