//! Finding a GPU by whatever it is called.

use super::{Gpu, catalogue};

/// The GPU of this name: its id, its name, what `nvidia-smi` calls it, or a common short form.
/// Case, spaces, punctuation and the maker's name do not matter.
///
/// ```
/// use decodescope::hardware::find;
/// for name in ["rtx-pro-6000", "RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"] {
///     assert_eq!(find(name).map(|gpu| gpu.id), Some("rtx-pro-6000"));
/// }
/// assert_eq!(find("NVIDIA H100 80GB HBM3").map(|gpu| gpu.id), Some("h100-sxm"));
/// assert!(find("h1000").is_none());
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static Gpu> {
    let wanted = plain(name);
    let answers_to = |gpu: &&Gpu| plain(gpu.id) == wanted || names(gpu).any(|name| plain(name) == wanted);
    catalogue().iter().find(answers_to)
}

/// The id nearest to a name that [`find`] does not know, if any is near enough to be meant.
///
/// ```
/// use decodescope::hardware::suggest;
/// assert_eq!(suggest("rtx-pro-600"), Some("rtx-pro-6000"));
/// assert_eq!(suggest("h100-sxn"), Some("h100-sxm"));
/// assert_eq!(suggest("toaster"), None);
/// ```
#[must_use]
pub fn suggest(name: &str) -> Option<&'static str> {
    let wanted = plain(name);
    let distance = |gpu: &Gpu| {
        names(gpu).chain([gpu.id]).map(|known| strsim::levenshtein(&wanted, &plain(known))).min().unwrap_or(usize::MAX)
    };
    let (nearest, gpu) = catalogue().iter().map(|gpu| (distance(gpu), gpu)).min_by_key(|(distance, _)| *distance)?;
    (nearest <= wanted.len() / 3).then_some(gpu.id)
}

impl Gpu {
    /// Other names it goes by, such as what its driver calls it.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        self.aliases.split(',').map(str::trim).filter(|alias| !alias.is_empty())
    }
}

/// What it goes by, its id aside.
fn names(gpu: &Gpu) -> impl Iterator<Item = &str> {
    gpu.aliases().chain([&*gpu.name])
}

/// Lower-case letters and digits, without the words that makers put around a model's name.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace("(r)", "").replace("(tm)", "");
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !["nvidia", "geforce", "tesla", "amd", "radeon", "instinct", "intel", "gpu"].contains(word))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use strsim::levenshtein as edits;

    #[test]
    fn edits_count_single_changes() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", ""), 3);
        assert_eq!(edits("h100", "h100"), 0);
    }

    #[test]
    fn every_name_of_the_catalogue_finds_its_own_row() {
        for gpu in catalogue() {
            for name in names(gpu).chain([gpu.id]) {
                assert_eq!(find(name).map(|found| found.id), Some(gpu.id), "{name}");
            }
        }
    }

    #[test]
    fn what_drivers_print_is_found() {
        for (printed, id) in [
            ("NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"),
            ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"),
            ("NVIDIA GeForce RTX 4090", "rtx-4090"),
            ("NVIDIA B300 SXM6 AC", "b300-sxm"),
            ("NVIDIA L40S", "l40s"),
            ("Intel(R) Arc(TM) Pro B60 Graphics", "arc-pro-b60"),
            ("AMD Instinct MI300X", "mi300x"),
        ] {
            assert_eq!(find(printed).map(|gpu| gpu.id), Some(id), "{printed}");
        }
        assert!(find("").is_none());
    }
}
