//! What one can choose from, and what of it a person's words mean.

/// A name is near when so many letters of what was typed, or fewer, would have to change: one in three.
const LETTERS_FOR_A_SLIP: usize = 3;

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// What it is called within the program.
    pub key: String,
    /// What it is called on the page.
    pub label: String,
    /// What there is to say of it.
    pub note: String,
    /// Other names it answers to.
    pub names: Vec<String>,
    /// Whether it is offered whatever was typed, as "not known" is.
    pub always: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Places in the list of choices, best first.
    pub places: Vec<usize>,
    /// Nothing has the words; of what is offered instead the first is near, if [`Found::near`].
    pub none: bool,
    /// Whether the first place is one that the words nearly name.
    pub near: bool,
}

/// The choices that have all words of what was typed, those that begin with it first; where none has, the nearest.
pub fn search(choices: &[Choice], typed: &str) -> Found {
    let every =
        |always| (0..choices.len()).filter(move |&place| choices.get(place).is_some_and(|c| c.always == always));
    let wanted = words(typed);
    if wanted.is_empty() {
        return Found { places: every(true).chain(every(false)).collect(), ..Found::default() };
    }
    let plain = wanted.concat();
    let rank = |choice: &Choice| {
        let names: Vec<String> = answers_to(choice).map(|name| words(name).concat()).collect();
        let has_all = wanted.iter().all(|word| names.iter().any(|name| name.contains(word.as_str())));
        has_all.then(|| {
            let any = |test: &dyn Fn(&String) -> bool| names.iter().any(test);
            if any(&|name| *name == plain) { 0 } else { 1 + i32::from(!any(&|name| name.starts_with(&plain))) }
        })
    };
    let ranked: Vec<(i32, usize)> =
        every(false).filter_map(|place| Some((rank(choices.get(place)?)?, place))).collect();
    let none = ranked.is_empty();
    let nearest = if none { nearest(choices, &plain) } else { None };
    let best_first =
        (0..=2).flat_map(|rank| ranked.iter().filter(move |ranked| ranked.0 == rank)).map(|ranked| ranked.1);
    let places = best_first.chain(nearest).chain(every(true));
    Found { places: places.collect(), none, near: nearest.is_some() }
}

/// The choice whose name, or whose beginning, takes the fewest changes.
fn nearest(choices: &[Choice], plain: &str) -> Option<usize> {
    let letters = plain.chars().count();
    let apart = |name: &str| {
        let name = words(name).concat();
        let beginning: String = name.chars().take(letters).collect();
        strsim::levenshtein(&name, plain).min(strsim::levenshtein(&beginning, plain))
    };
    let slips = |choice: &Choice| answers_to(choice).map(apart).min().unwrap_or(usize::MAX);
    let ranked = choices.iter().enumerate().filter(|(_, choice)| !choice.always);
    let (slips, place) = ranked.map(|(place, choice)| (slips(choice), place)).min()?;
    (slips <= letters / LETTERS_FOR_A_SLIP).then_some(place)
}

fn answers_to(choice: &Choice) -> impl Iterator<Item = &str> {
    [&choice.label, &choice.key].into_iter().chain(&choice.names).map(String::as_str)
}

/// Lower-case words and numbers: `RTX6000` is `rtx` and `6000`, and `Llama-3.1` is `llama`, `3`, `1`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for letter in text.chars().map(|letter| letter.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            let continues = before.is_ascii_alphanumeric() && before.is_ascii_digit() == letter.is_ascii_digit();
            match words.last_mut() {
                Some(word) if continues => word.push(letter),
                _ => words.push(letter.to_string()),
            }
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> Vec<Choice> {
        let choice = |key: &str, label: &str, always| Choice {
            key: key.to_owned(),
            label: label.to_owned(),
            always,
            ..Choice::default()
        };
        vec![
            choice("", "not known", true),
            choice("rtx-pro-6000", "RTX PRO 6000 Blackwell", false),
            choice("h100-pcie", "H100 PCIe", false),
            choice("gh200", "GH200", false),
            choice("h100-sxm", "H100 SXM", false),
        ]
    }

    fn keys(typed: &str) -> Vec<String> {
        let choices = choices();
        search(&choices, typed).places.into_iter().map(|place| choices[place].key.clone()).collect()
    }

    #[test]
    fn all_words_must_be_there_in_any_order_and_spelling() {
        assert_eq!(keys("rtx6000"), ["rtx-pro-6000", ""]);
        assert_eq!(keys("6000 pro"), ["rtx-pro-6000", ""]);
        assert_eq!(keys("h100"), ["h100-pcie", "h100-sxm", ""]);
        assert_eq!(keys("H100-SXM"), ["h100-sxm", ""]);
        // What begins so comes before what only has it.
        assert_eq!(keys("h"), ["h100-pcie", "h100-sxm", "gh200", ""]);
    }

    #[test]
    fn nothing_typed_offers_everything() {
        assert_eq!(keys("  ").len(), 5);
        assert_eq!(keys("")[0], "");
    }

    #[test]
    fn a_slip_is_guessed_and_nonsense_is_not() {
        let slip = search(&choices(), "h10o");
        assert!(slip.none && slip.near && slip.places[0] != 0, "{slip:?}");
        let nonsense = search(&choices(), "toaster");
        assert!(nonsense.none && !nonsense.near && nonsense.places == [0], "{nonsense:?}");
    }
}
