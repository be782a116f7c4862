//! Lines that begin with `#`: metadata, the end mark, and comments.

use super::exposition::Type;
use super::rule::{Breach, Rule};
use super::sample::{is_blank, name_end};
use std::borrow::Cow;

/// What a line that begins with `#` says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Comment<'t> {
    /// Nothing a machine understands.
    Plain,
    /// `# EOF`.
    Eof,
    /// The metric's explanation, unescaped.
    Help(Cow<'t, str>, Cow<'t, str>),
    /// The metric's type; `None` for a word no format has.
    Type(Cow<'t, str>, Option<Type>),
    /// The metric's unit.
    Unit(Cow<'t, str>, Cow<'t, str>),
    /// Metadata that cannot be read.
    Malformed,
}

impl Comment<'_> {
    /// The same, independent of the text it was read from.
    pub fn into_owned(self) -> Comment<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Comment::Plain => Comment::Plain,
            Comment::Eof => Comment::Eof,
            Comment::Malformed => Comment::Malformed,
            Comment::Help(name, text) => Comment::Help(own(name), own(text)),
            Comment::Type(name, kind) => Comment::Type(own(name), kind),
            Comment::Unit(name, text) => Comment::Unit(own(name), own(text)),
        }
    }
}

/// Reads a line that begins with `#` at its first byte, noting breaches. `known` is a bare name that was read before.
pub(super) fn comment<'t>(line: &'t str, known: &str, breaches: &mut Vec<Breach>) -> Comment<'t> {
    let mut cursor = Cursor { line, at: 1, breaches };
    cursor.separator();
    let keyword = cursor.token();
    let keyword_end = cursor.at;
    match keyword {
        "EOF" if line.len() == keyword_end => {
            if keyword_end == "#EOF".len() {
                cursor.note(1, Rule::MissingBlank);
            }
            return Comment::Eof;
        }
        "HELP" | "TYPE" | "UNIT" if keyword_end > keyword.len() + 1 => {}
        _ => {
            cursor.note(0, Rule::Comment);
            return Comment::Plain;
        }
    }
    cursor.separator();
    let name_start = cursor.at;
    let Some(name) = cursor.name(known) else {
        let nothing = cursor.at == line.len();
        cursor.note(
            name_start,
            match keyword {
                "UNIT" => Rule::MissingText,
                "HELP" if nothing => Rule::MissingText,
                _ if nothing => Rule::MetadataForm,
                _ => Rule::MetadataName,
            },
        );
        return Comment::Malformed;
    };
    let name_end = cursor.at;
    if name_end == line.len() {
        cursor.note(name_end, if keyword == "TYPE" { Rule::MetadataForm } else { Rule::MissingText });
    }
    // What comes after one space is the help, be it blank.
    if keyword == "HELP" && cursor.rest().starts_with(' ') {
        cursor.at += 1;
    } else {
        cursor.separator();
    }
    let text = cursor.rest();
    match keyword {
        "HELP" => Comment::Help(name, unescape(text)),
        "UNIT" => Comment::Unit(name, Cow::Borrowed(text)),
        _ => Comment::Type(name, cursor.kind()),
    }
}

struct Cursor<'t, 'b> {
    line: &'t str,
    at: usize,
    breaches: &'b mut Vec<Breach>,
}

impl<'t> Cursor<'t, '_> {
    fn rest(&self) -> &'t str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn note(&mut self, at: usize, rule: Rule) {
        self.breaches.push(Breach { at, rule });
    }

    fn separator(&mut self) {
        let rest = self.rest();
        if let [b' ', next, ..] = rest.as_bytes()
            && !is_blank(*next)
        {
            self.at += 1;
            return;
        }
        let blanks = rest.bytes().take_while(|byte| is_blank(*byte)).count();
        if blanks > 1 || rest.starts_with('\t') {
            // Spaces between two tokens are minded less than tabs, or blanks at the end.
            let spaces = rest.len() > blanks && rest.bytes().take(blanks).all(|byte| byte == b' ');
            self.note(self.at, if spaces { Rule::BlankInMetadata } else { Rule::ExtraBlank });
        }
        self.at += blanks;
    }

    fn token(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().position(is_blank).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// The type's word, and nothing else up to the end of the line.
    fn kind(&mut self) -> Option<Type> {
        let at = self.at;
        let word = self.token();
        let kind = Type::from_word(word);
        let rule = match kind {
            _ if word.is_empty() => None,
            None => Some(Rule::UnknownType),
            Some(Type::Unknown) if word == "untyped" => Some(Rule::UntypedType),
            Some(kind) if kind.word() != word => Some(Rule::TypeSpelling),
            Some(Type::Counter | Type::Gauge | Type::Histogram | Type::Summary) => None,
            Some(_) => Some(Rule::OpenMetricsType),
        };
        if let Some(rule) = rule {
            self.note(at, rule);
        }
        if self.at < self.line.len() {
            let blank = self.rest().bytes().all(is_blank);
            self.note(self.at, if blank { Rule::ExtraBlank } else { Rule::MetadataForm });
        }
        kind
    }

    /// A metric name, bare or quoted, that ends at a blank or at the end of the line.
    fn name(&mut self, known: &str) -> Option<Cow<'t, str>> {
        let rest = self.rest();
        let (name, length) = if let Some(inside) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = inside.bytes().position(|byte| {
                let closes = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                closes
            })?;
            let raw = inside.get(..end)?;
            let mut others = raw.as_bytes().windows(2).filter(|pair| pair[0] == b'\\');
            if raw.contains('\\') && others.any(|pair| !matches!(pair[1], b'\\' | b'"' | b'n')) {
                self.note(self.at, Rule::UnknownEscape);
            }
            (unescape(raw), end + 2)
        } else {
            let end = name_end(rest.as_bytes(), 0, known.as_bytes());
            (Cow::Borrowed(rest.get(..end)?), end)
        };
        let ends = rest.as_bytes().get(length).is_none_or(|next| is_blank(*next));
        if name.is_empty() || !ends {
            return None;
        }
        self.at += length;
        Some(name)
    }
}

/// Resolves `\\`, `\n` and `\"` (which only OpenMetrics has); other backslashes stay.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let resolved = match (letter, letters.peek()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('\\')) => '\\',
            ('\\', Some('"')) => '"',
            _ => {
                plain.push(letter);
                continue;
            }
        };
        letters.next();
        plain.push(resolved);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Comment<'_>, Vec<Rule>) {
        let mut breaches = Vec::new();
        let comment = comment(line, "", &mut breaches);
        (comment, breaches.into_iter().map(|breach| breach.rule).collect())
    }

    #[test]
    fn metadata_and_the_end() {
        assert_eq!(read("# HELP a two\\nlines").0, Comment::Help("a".into(), "two\nlines".into()));
        assert_eq!(read("# TYPE a:b histogram"), (Comment::Type("a:b".into(), Some(Type::Histogram)), vec![]));
        assert_eq!(read("# TYPE \"my.name\" gauge").0, Comment::Type("my.name".into(), Some(Type::Gauge)));
        assert_eq!(read("# UNIT a_seconds seconds").0, Comment::Unit("a_seconds".into(), "seconds".into()));
        assert_eq!(read("# HELP a  x").0, Comment::Help("a".into(), " x".into()));
        assert_eq!(read("# EOF"), (Comment::Eof, vec![]));
        assert_eq!(read("#EOF"), (Comment::Eof, vec![Rule::MissingBlank]));
    }

    #[test]
    fn comments_are_comments() {
        for line in ["#", "# hello", "#TYPE a counter", "# EOF ", "# EOFx", "#\tFOO bar"] {
            let (comment, rules) = read(line);
            assert_eq!((comment, rules.last()), (Comment::Plain, Some(&Rule::Comment)), "{line}");
        }
    }

    #[test]
    fn broken_metadata_is_named() {
        assert_eq!(read("# TYPE met-ric gauge"), (Comment::Malformed, vec![Rule::MetadataName]));
        assert_eq!(read("# TYPE"), (Comment::Malformed, vec![Rule::MetadataForm]));
        assert_eq!(read("# TYPE a"), (Comment::Type("a".into(), None), vec![Rule::MetadataForm]));
        assert_eq!(read("# TYPE a meh"), (Comment::Type("a".into(), None), vec![Rule::UnknownType]));
        assert_eq!(
            read("# TYPE a COUNTER"),
            (Comment::Type("a".into(), Some(Type::Counter)), vec![Rule::TypeSpelling])
        );
    }
}
