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
    /// Places in the list of choices, best first, each with the other name it was found by, if by one.
    pub places: Vec<(usize, Option<String>)>,
    /// Nothing has the words; of what is offered instead the first is near, if [`Found::near`].
    pub none: bool,
    /// Whether the first place is one that the words nearly name.
    pub near: bool,
}

/// The choices that have all words of what was typed, those that begin with it first; where none has, the one that
/// `means` knows by its key to be meant, else the nearest. What is always offered comes last, unless it has the words.
pub fn search(choices: &[Choice], typed: &str, means: fn(&str) -> Option<String>) -> Found {
    let every =
        |always| (0..choices.len()).filter(move |&place| choices.get(place).is_some_and(|c| c.always == always));
    let wanted = words(typed);
    if wanted.is_empty() {
        let places = every(true).chain(every(false)).map(|place| (place, None)).collect();
        return Found { places, ..Found::default() };
    }
    let ranked: Vec<(usize, usize, Option<String>)> = every(false)
        .chain(every(true))
        .filter_map(|place| {
            let (rank, name) = rank(choices.get(place)?, &wanted)?;
            Some((rank, place, name))
        })
        .collect();
    let none = ranked.is_empty();
    let key = if none { means(typed) } else { None };
    let meant = key.and_then(|key| choices.iter().position(|choice| choice.key == key));
    let nearest = if none && meant.is_none() { nearest(choices, &wanted.concat()) } else { None };
    let best_first = (0..=2).flat_map(|rank| ranked.iter().filter(move |ranked| ranked.0 == rank));
    let mut places: Vec<(usize, Option<String>)> = best_first.map(|(_, place, name)| (*place, name.clone())).collect();
    places.extend(meant.or(nearest).map(|place| (place, None)));
    let rest: Vec<usize> = every(true).filter(|place| places.iter().all(|(found, _)| found != place)).collect();
    places.extend(rest.into_iter().map(|place| (place, None)));
    Found { places, none: none && meant.is_none(), near: nearest.is_some() }
}

/// How well a choice has the words, 0 best, and the other name that has them where its own have not.
fn rank(choice: &Choice, wanted: &[String]) -> Option<(usize, Option<String>)> {
    let plain = wanted.concat();
    let rank = |name: &str| {
        let name = words(name);
        if !has_all(&name, wanted, choice.always) {
            return None;
        }
        let name = name.concat();
        Some(if name == plain { 0 } else { 1 + usize::from(!name.starts_with(&plain)) })
    };
    let own = [&choice.label, &choice.key].into_iter().filter_map(|name| rank(name)).min().map(|rank| (rank, None));
    let other = || choice.names.iter().filter_map(|name| Some((rank(name)?, Some(name.clone())))).min();
    own.or_else(other)
}

/// Whether a name has all the words. The last may still be being typed; a number before it is the whole number or
/// version, so that the 3 of `qwen3 coder` is neither 32 nor 235.
fn has_all(name: &[String], wanted: &[String], whole_words: bool) -> bool {
    let together = name.concat();
    let number = |word: &String| word.starts_with(|letter: char| letter.is_ascii_digit());
    wanted.iter().enumerate().all(|(place, word)| {
        let last = place + 1 == wanted.len();
        let version = |of: &String| of.strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with('.'));
        // Llama31, as some write it.
        let undotted = |of: &String| last && of.replace('.', "").starts_with(word.as_str());
        match number(word) {
            true => name
                .iter()
                .any(|of| of == word || version(of) || (last && of.starts_with(word.as_str())) || undotted(of)),
            false if whole_words => name.iter().any(|of| of.starts_with(word.as_str())),
            false => together.contains(word.as_str()),
        }
    })
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

/// Lower-case words and numbers: `RTX6000` is `rtx` and `6000`, and `Llama-3.1` is `llama`, `3.1`.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut letters = text.chars().map(|letter| letter.to_ascii_lowercase()).peekable();
    while let Some(letter) = letters.next() {
        let is_point = letter == '.' && before.is_ascii_digit() && letters.peek().is_some_and(char::is_ascii_digit);
        if is_point {
            words.iter_mut().last().into_iter().for_each(|word| word.push(letter));
            continue;
        }
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
            choice("own", "Your own GPU", true),
            choice("rtx-pro-6000", "RTX PRO 6000 Blackwell", false),
            choice("h100-pcie", "H100 PCIe", false),
            choice("gh200", "GH200", false),
            choice("h100-sxm", "H100 SXM", false),
        ]
    }

    fn find(choices: &[Choice], typed: &str) -> Found {
        search(choices, typed, |typed| typed.contains("hopper").then(|| "h100-sxm".to_owned()))
    }

    fn keys(typed: &str) -> Vec<String> {
        let choices = choices();
        find(&choices, typed).places.into_iter().map(|(place, _)| choices[place].key.clone()).collect()
    }

    #[test]
    fn all_words_must_be_there_in_any_order_and_spelling() {
        assert_eq!(keys("rtx6000"), ["rtx-pro-6000", "", "own"]);
        assert_eq!(keys("6000 pro"), ["rtx-pro-6000", "", "own"]);
        assert_eq!(keys("h100"), ["h100-pcie", "h100-sxm", "", "own"]);
        assert_eq!(keys("H100-SXM"), ["h100-sxm", "", "own"]);
        // What begins so comes before what only has it.
        assert_eq!(keys("h"), ["h100-pcie", "h100-sxm", "gh200", "", "own"]);
    }

    #[test]
    fn what_is_always_there_can_be_named_too() {
        assert_eq!(keys("your own"), ["own", ""]);
        assert_eq!(keys("own"), ["own", ""]);
    }

    #[test]
    fn a_version_is_no_bag_of_digits_and_another_name_is_told() {
        let model = |label: &str, names: &[&str]| Choice {
            key: label.to_lowercase(),
            label: label.to_owned(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            ..Choice::default()
        };
        let models = [
            model("Llama-3.1-8B", &["llama-3-8b"]),
            model("Llama-3.1-70B", &["llama-3-70b", "llama-3.3-70b"]),
            model("Llama-3.2-3B", &[]),
            model("Llama-2-13B", &[]),
            model("Qwen2.5-32B", &["qwen2.5-coder-32b"]),
            model("Qwen3-Coder-480B-A35B", &[]),
        ];
        let found = |typed: &str| -> Vec<(&str, Option<String>)> {
            let places = find(&models, typed).places.into_iter();
            places.map(|(place, name)| (models[place].label.as_str(), name)).collect()
        };
        assert_eq!(found("Llama 3.3"), [("Llama-3.1-70B", Some("llama-3.3-70b".to_owned()))]);
        assert_eq!(found("qwen3 coder"), [("Qwen3-Coder-480B-A35B", None)]);
        assert_eq!(found("coder 48"), [("Qwen3-Coder-480B-A35B", None)]);
        assert_eq!(found("llama31"), [("Llama-3.1-8B", None), ("Llama-3.1-70B", None)]);
        assert_eq!(found("llama 3 8"), [("Llama-3.1-8B", None)]);
    }

    #[test]
    fn nothing_typed_offers_everything() {
        assert_eq!(keys("  ").len(), 6);
        assert_eq!(keys("")[0], "");
    }

    #[test]
    fn a_slip_is_guessed_and_nonsense_is_not() {
        let slip = find(&choices(), "h10o");
        assert!(slip.none && slip.near && slip.places[0].0 > 1, "{slip:?}");
        let nonsense = find(&choices(), "toaster");
        assert!(nonsense.none && !nonsense.near && nonsense.places == [(0, None), (1, None)], "{nonsense:?}");
    }

    #[test]
    fn what_is_known_to_be_meant_is_found() {
        let meant = find(&choices(), "/big hopper");
        assert!(!meant.none && meant.places[0] == (5, None), "{meant:?}");
    }
}
