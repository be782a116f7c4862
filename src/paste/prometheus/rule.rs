//! The rules of the two text formats, each with its sentence; a breach of one has a place.

use crate::paste::WarningKind;

/// A breach of a rule at a byte of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breach {
    /// Offset in the line, in bytes.
    pub at: usize,
    pub rule: Rule,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident [$($format:ident)*] $sentence:literal;)*) => {
        /// One rule of the text formats.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* #[doc = concat!("Breached when: ", $sentence, ".")] $rule,)*
        }

        impl Rule {
            /// Every rule there is.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];

            /// The breach as a fact, in lower case.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Rule::$rule => $sentence,)* }
            }

            /// The rule's name in kebab-case, for programs.
            #[must_use]
            pub fn name(self) -> String {
                let mut name = String::new();
                for letter in format!("{self:?}").chars() {
                    if letter.is_ascii_uppercase() && !name.is_empty() {
                        name.push('-');
                    }
                    name.push(letter.to_ascii_lowercase());
                }
                name
            }

            /// Whether a breach makes the whole text invalid in this format.
            #[must_use]
            pub fn forbidden_in(self, format: Format) -> bool {
                let forbidden: &[Format] = match self { $(Rule::$rule => &[$(Format::$format),*],)* };
                forbidden.contains(&format)
            }
        }
    };
}

/// The two text formats this room knows by their specifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Prometheus text format 0.0.4.
    Text,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

rules! {
    // Lines that cannot be read.
    NotASample [Text OpenMetrics] "the line does not start with a metric name, `{` or `#`";
    MissingName [Text OpenMetrics] "there is no metric name";
    EmptyName [Text OpenMetrics] "a quoted name is empty";
    NameNotFirst [Text OpenMetrics] "the quoted metric name is not the first thing in the braces";
    LabelName [Text OpenMetrics] "a label name was expected";
    MissingEquals [Text OpenMetrics] "`=` was expected after the label name";
    UnquotedValue [Text OpenMetrics] "the label value is not in double quotes";
    OpenQuote [Text OpenMetrics] "a quote is never closed";
    OpenBraces [Text OpenMetrics] "the line ends inside the braces";
    TextAfterLabel [Text OpenMetrics] "`,` or `}` was expected after the label (an unescaped quote in its value?)";
    TooManyLabels [] "more than 65535 labels";
    MissingValue [Text OpenMetrics] "there is no value";
    BadNumber [Text OpenMetrics] "the value is not a number";
    CompositeValue [Text OpenMetrics] "the value is a composite of OpenMetrics 2.0";
    BadTimestamp [Text OpenMetrics] "the timestamp is not a number";
    TrailingText [Text OpenMetrics] "there is text after the sample";

    // Lines that can be read all the same.
    CarriageReturn [Text OpenMetrics] "the line ends in CR LF";
    NoFinalNewline [Text] "the last line does not end in a line feed";
    ExtraBlank [OpenMetrics] "there is a blank that is not the one space between two tokens";
    MissingBlank [OpenMetrics] "a space is missing between two tokens";
    BlankLine [OpenMetrics] "the line is empty";
    Comment [OpenMetrics] "the line is a comment";
    TrailingComma [OpenMetrics] "there is a comma after the last label";
    StrayComma [Text OpenMetrics] "there is a comma without a label before it";
    MissingComma [Text OpenMetrics] "a comma is missing between two labels";
    UnknownEscape [Text] "an escape other than `\\\\`, `\\\"` and `\\n`";
    DuplicateLabel [Text OpenMetrics] "a label name is there twice";
    BareNameInBraces [Text OpenMetrics] "the metric name in the braces is not quoted";
    QuotedNameOutside [Text OpenMetrics] "the quoted metric name is outside the braces";
    SignedNan [Text OpenMetrics] "`NaN` has a sign";
    NumberOverflow [Text OpenMetrics] "the number is beyond what a double holds";
    TimestampForm [Text] "the timestamp is not a whole number of milliseconds";
    TimestampNotFinite [Text OpenMetrics] "the timestamp is not finite";
    Exemplar [Text] "there is an exemplar, which only OpenMetrics has";
    BadExemplar [Text OpenMetrics] "the exemplar cannot be read";
    StartTimestamp [Text OpenMetrics] "there is a start timestamp, which only OpenMetrics 2.0 has";
    TableRow [Text OpenMetrics] "a bar stands between the series and its value";

    // Metadata.
    MetadataForm [Text OpenMetrics] "the metadata line does not have the form `# KEYWORD name text`";
    MetadataName [Text OpenMetrics] "the metadata's metric name is not valid";
    UnknownType [Text OpenMetrics] "the type is not one of the format's";
    RepeatedMetadata [Text OpenMetrics] "the metric has this metadata already";
    LateMetadata [Text OpenMetrics] "the metadata comes after the metric's first sample";
}

impl Rule {
    /// What the tolerant reader says when it read a line in spite of this breach; `None` where the
    /// reading is beyond doubt and the breach would only interest a strict parser.
    pub(super) fn tolerated_as(self) -> Option<WarningKind> {
        match self {
            Self::DuplicateLabel => Some(WarningKind::Duplicate),
            Self::NumberOverflow | Self::BadNumber | Self::SignedNan => Some(WarningKind::BadValue),
            Self::StrayComma
            | Self::MissingComma
            | Self::UnknownEscape
            | Self::BareNameInBraces
            | Self::QuotedNameOutside
            | Self::TableRow
            | Self::CarriageReturn
            | Self::BadExemplar
            | Self::StartTimestamp
            | Self::TimestampNotFinite => Some(WarningKind::Repaired),
            Self::RepeatedMetadata => Some(WarningKind::Duplicate),
            Self::UnknownType | Self::MetadataForm | Self::MetadataName => Some(WarningKind::Skipped),
            _ => None,
        }
    }
}
