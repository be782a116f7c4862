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
    ($($rule:ident [$($format:ident)*] $text:literal $openmetrics:literal $sentence:literal;)*) => {
        /// One rule of the text formats.
        // As wide as its neighbours in results: a lone byte there makes the processor wait for each copy.
        #[repr(u32)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!("Breached when ", $sentence, ".")] $rule,)*
        }

        impl Rule {
            /// Every rule there is.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule),*];

            /// The breach as a fact, in lower case.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Rule::$rule => $sentence,)* }
            }

            /// Whether a breach makes the whole text invalid in this format. A rule that neither format
            /// enforces is a lint: worth saying, but no parser need mind.
            #[must_use]
            pub fn forbidden_in(self, format: Format) -> bool {
                let forbidden: &[Format] = match self { $(Rule::$rule => &[$(Format::$format),*],)* };
                forbidden.contains(&format)
            }

            /// The initials of the parsers that refuse a breach, by format.
            const fn refusers(self, format: Format) -> &'static str {
                match format {
                    Format::Text => match self { $(Rule::$rule => $text,)* },
                    Format::OpenMetrics => match self { $(Rule::$rule => $openmetrics,)* },
                }
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

/// Parsers of these formats that people's pipelines are built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parser {
    /// `prometheus/common/expfmt`, used by Telegraf, the Pushgateway and the node exporter; text format only.
    Expfmt,
    /// The Prometheus server's own.
    Prometheus,
    /// VictoriaMetrics' own; text format only.
    VictoriaMetrics,
    /// The Python client's.
    ClientPython,
}

impl Parser {
    /// Its usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expfmt => "expfmt",
            Self::Prometheus => "Prometheus",
            Self::VictoriaMetrics => "VictoriaMetrics",
            Self::ClientPython => "client_python",
        }
    }
}

// Each rule: the formats that forbid a breach, the parsers that refuse it in the text format (E expfmt,
// T Prometheus, V VictoriaMetrics, P client_python) and in OpenMetrics (T, P), and the fact.
rules! {
    // Lines that cannot be read.
    NotASample [Text OpenMetrics] "ETP" "TP" "the line does not start with a metric name, `{` or `#`";
    MissingName [Text OpenMetrics] "ETVP" "TP" "there is no metric name";
    EmptyName [Text OpenMetrics] "EVP" "P" "the quoted metric name is empty";
    EmptyLabelName [Text OpenMetrics] "E" "" "the quoted label name is empty";
    NameNotFirst [Text] "" "" "the quoted metric name is not the first thing in the braces";
    LabelName [Text OpenMetrics] "ETP" "TP" "a label name was expected";
    ColonInLabelName [Text OpenMetrics] "ET" "T" "there is a colon in a label name, which only metric names may have";
    MissingEquals [Text OpenMetrics] "ETP" "TP" "`=` was expected after the label name";
    UnquotedValue [Text OpenMetrics] "ETVP" "TP" "the label value is not in double quotes";
    OpenQuote [Text OpenMetrics] "ETVP" "TP" "a quote is never closed";
    OpenBraces [Text OpenMetrics] "ETVP" "TP" "the line ends inside the braces";
    TextAfterLabel [Text OpenMetrics] "ETVP" "TP" "`,` or `}` was expected after the label (an unescaped quote in its value?)";
    TooManyLabels [] "" "" "there are more than 1024 labels";
    MissingValue [Text OpenMetrics] "ETVP" "TP" "there is no value";
    BadNumber [Text OpenMetrics] "ETVP" "TP" "the value is not a number";
    ForeignBlank [Text OpenMetrics] "ETV" "TP" "beside the value is a blank that is neither space nor tab (a no-break space?)";
    BadComposite [Text OpenMetrics] "ETVP" "TP" "the composite value cannot be read";
    BadTimestamp [Text OpenMetrics] "ETVP" "TP" "the timestamp is not a number";
    TrailingText [Text OpenMetrics] "ETV" "TP" "there is text after the sample";
    NotUtf8 [Text OpenMetrics] "ETP" "TP" "the text is not UTF-8";

    // Lines that can be read all the same.
    CarriageReturn [Text OpenMetrics] "ET" "TP" "the line ends in CR LF";
    NoFinalNewline [Text] "E" "" "the last line does not end in a line feed";
    ExtraBlank [OpenMetrics] "" "TP" "there is a blank that is not the one space between two tokens";
    BlankInSeries [OpenMetrics] "" "T" "there is a blank before or inside the braces";
    BlankInMetadata [OpenMetrics] "" "T" "there is more than one space between two tokens of the metadata";
    MissingBlank [OpenMetrics] "" "TP" "a space is missing between two tokens";
    BlankLine [OpenMetrics] "" "TP" "the line is empty";
    Comment [OpenMetrics] "" "TP" "the line is a comment";
    TrailingComma [OpenMetrics] "" "P" "there is a comma after the last label";
    LeadingComma [Text OpenMetrics] "ET" "TP" "there is a comma before the first label";
    StrayComma [Text OpenMetrics] "ETP" "TP" "there is a comma right after another";
    MissingComma [Text OpenMetrics] "EVP" "TP" "a comma is missing between two labels";
    UnknownEscape [Text] "E" "" "there is an escape other than `\\\\`, `\\\"` and `\\n`";
    DuplicateLabel [Text OpenMetrics] "EP" "P" "a label name is there twice";
    ReservedLabel [Text OpenMetrics] "EP" "P" "the metric's name is given as the label `__name__`";
    TwoUnderscores [OpenMetrics] "P" "P" "a label name begins with two underscores, which is reserved";
    Underscore [OpenMetrics] "" "" "a name begins with an underscore, which OpenMetrics reserves";
    BareNameInBraces [Text OpenMetrics] "TVP" "TP" "the metric name in the braces is not quoted";
    QuotedNameOutside [Text OpenMetrics] "T" "T" "the quoted metric name is outside the braces";
    SignedNan [Text OpenMetrics] "ET" "T" "`NaN` has a sign";
    NumberOverflow [Text OpenMetrics] "ET" "T" "the number is beyond what a double holds";
    TimestampForm [Text] "ET" "" "the timestamp is not a whole number of milliseconds";
    TimestampNotFinite [Text OpenMetrics] "ET" "TP" "the timestamp is not finite";
    Exemplar [Text] "ET" "" "there is an exemplar, which only OpenMetrics has";
    CommentAfterSample [Text OpenMetrics] "ETP" "TP" "a comment stands after the sample";
    BadExemplar [Text OpenMetrics] "ET" "TP" "the exemplar cannot be read";
    SeveralExemplars [Text OpenMetrics] "ET" "TP" "there are several exemplars, which only OpenMetrics 2.0 has";
    CompositeValue [Text OpenMetrics] "ETVP" "TP" "the value is a composite, which only OpenMetrics 2.0 has";
    StartTimestamp [Text OpenMetrics] "ETVP" "TP" "there is a start timestamp, which only OpenMetrics 2.0 has";
    TableRow [Text OpenMetrics] "ETVP" "TP" "a bar stands between the series and its value";

    // Metadata.
    MetadataForm [Text OpenMetrics] "TP" "TP" "the metadata line does not have the form `# KEYWORD name text`";
    MetadataName [Text OpenMetrics] "ETP" "TP" "the metadata's metric name is not valid";
    MissingText [OpenMetrics] "" "TP" "the metadata line has no text";
    UnknownType [Text OpenMetrics] "ETP" "TP" "the type is not one of any format";
    OpenMetricsType [Text] "ET" "" "the type is one only OpenMetrics has";
    UntypedType [OpenMetrics] "" "TP" "the type is `untyped`, which OpenMetrics calls `unknown`";
    TypeSpelling [Text OpenMetrics] "TP" "TP" "the type is not in lower case or has an underscore";
    RepeatedMetadata [Text OpenMetrics] "E" "P" "the metric has this metadata already";
    LateType [Text OpenMetrics] "E" "P" "the type comes after the metric's first sample";
    LateMetadata [OpenMetrics] "" "P" "the metadata comes after the metric's first sample";
    UnitSuffix [OpenMetrics] "" "TP" "the metric's name does not end in its unit";
    UnitNotAllowed [OpenMetrics] "" "P" "the metric's type cannot have a unit";

    // The text as a whole.
    MissingEof [OpenMetrics] "" "TP" "the text does not end in `# EOF`";
    TextAfterEof [OpenMetrics] "" "TP" "there is text after `# EOF`";
    Interleaved [OpenMetrics] "" "P" "the metric's lines are not one contiguous group";
    MetricInterleaved [OpenMetrics] "" "P" "the samples of one label set are not one contiguous group";
    NameClash [OpenMetrics] "" "P" "the metric's name, or one of its samples' names, is another metric's";
    SampleSuffix [OpenMetrics] "" "P" "the sample's name lacks the ending its type requires";
    MissingTotal [OpenMetrics] "" "" "the counter has no `_total`";
    DuplicateSeries [OpenMetrics] "" "" "the same series is there twice";
    TimestampsMixed [OpenMetrics] "" "P" "some samples of the label set have timestamps and some have none";
    TimestampsFall [OpenMetrics] "" "P" "the timestamps of the label set go back";

    // What a type requires.
    MissingBound [OpenMetrics] "" "P" "the bucket has no `le`, or the quantile no `quantile`";
    BoundNotANumber [Text OpenMetrics] "E" "P" "`le` or `quantile` is not a number";
    InfinityForm [OpenMetrics] "" "P" "the last bucket's `le` is not spelled `+Inf`";
    QuantileRange [OpenMetrics] "" "P" "the quantile is not between 0 and 1";
    BucketOrder [OpenMetrics] "" "P" "the buckets are not in rising order of `le`";
    RepeatedBound [OpenMetrics] "" "P" "two buckets have the same `le`, spelled differently";
    BucketsFall [OpenMetrics] "" "P" "a bucket holds less than the one below it, though buckets are cumulative";
    MissingInfinity [OpenMetrics] "" "P" "the histogram has no `+Inf` bucket";
    CountMismatch [OpenMetrics] "" "P" "the count is not what the `+Inf` bucket holds";
    CountWithoutSum [OpenMetrics] "" "P" "there is a count without a sum";
    SumWithoutCount [OpenMetrics] "" "P" "there is a sum without a count";
    SumOfNegative [OpenMetrics] "" "P" "there is a sum though buckets go below zero";
    NegativeCount [Text OpenMetrics] "E" "P" "a count is negative";
    NegativeValue [OpenMetrics] "" "P" "a value that can only rise is negative";
    NotANumberValue [OpenMetrics] "" "P" "a value that can only rise is not a number";
    FractionalCount [OpenMetrics] "" "P" "a count is not a whole number";
    NegativeQuantile [OpenMetrics] "" "P" "the value of a quantile is negative";
    InfoValue [OpenMetrics] "" "P" "the value of an info metric is not 1";
    StateValue [OpenMetrics] "" "P" "the value of a state is neither 0 nor 1";
    StateLabel [OpenMetrics] "" "P" "the state has no label with the metric's name";
    ExemplarPlace [OpenMetrics] "" "P" "the exemplar is on a sample that may have none";
    ExemplarOutside [OpenMetrics] "" "" "the exemplar's value is above its bucket's `le`";
    ExemplarTooLong [OpenMetrics] "" "P" "the exemplar's labels are longer than 128 characters";
}

impl Rule {
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

    /// The parsers that refuse a text for a breach of this rule, as far as their own suites and trials tell.
    pub fn refused_by(self, format: Format) -> impl Iterator<Item = Parser> {
        self.refusers(format).chars().filter_map(|initial| match initial {
            'E' => Some(Parser::Expfmt),
            'T' => Some(Parser::Prometheus),
            'V' => Some(Parser::VictoriaMetrics),
            'P' => Some(Parser::ClientPython),
            _ => None,
        })
    }

    /// What the tolerant reader says when it read a line in spite of this breach; `None` where the
    /// reading is beyond doubt and the breach would only interest a strict parser.
    pub(super) fn tolerated_as(self) -> Option<WarningKind> {
        match self {
            Self::DuplicateLabel => Some(WarningKind::Duplicate),
            Self::NumberOverflow | Self::BadNumber | Self::SignedNan => Some(WarningKind::BadValue),
            Self::LeadingComma
            | Self::StrayComma
            | Self::MissingComma
            | Self::UnknownEscape
            | Self::BareNameInBraces
            | Self::QuotedNameOutside
            | Self::TableRow
            | Self::CarriageReturn
            | Self::CommentAfterSample
            | Self::BadExemplar
            | Self::TimestampNotFinite => Some(WarningKind::Repaired),
            Self::RepeatedMetadata => Some(WarningKind::Duplicate),
            Self::UnknownType | Self::MetadataForm | Self::MetadataName => Some(WarningKind::Skipped),
            _ => None,
        }
    }
}
