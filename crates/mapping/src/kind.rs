//! The kinds of fields, with what belongs to one kind alone.

use crate::DateFormat;

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// A string, found by its exact value.
    Keyword,
    /// A string, found by its words.
    Text,
    /// True or false.
    Boolean,
    /// An integer of 8 bits.
    Byte,
    /// An integer of 16 bits.
    Short,
    /// An integer of 32 bits.
    Integer,
    /// An integer of 64 bits.
    Long,
    /// An integer of 64 bits without a sign.
    UnsignedLong,
    /// A number of half precision.
    HalfFloat,
    /// A number of single precision.
    Float,
    /// A number of double precision.
    Double,
    /// A number that is kept as a multiple of `1 / scaling_factor`.
    ScaledFloat {
        /// How many steps there are between two whole numbers.
        scaling_factor: f64,
    },
    /// A moment to the millisecond.
    Date {
        /// How its values are written.
        format: DateFormat,
    },
    /// A moment to the nanosecond.
    DateNanos {
        /// How its values are written.
        format: DateFormat,
    },
    /// An IPv4 or IPv6 address.
    Ip,
    /// An object whose scalars are all keywords of this one field (`flattened`, `flat_object`).
    Flattened,
    /// A keyword made for patterns.
    Wildcard,
    /// A keyword with the same value in every document.
    ConstantKeyword {
        /// The value; nothing until the first document brings it.
        value: Option<String>,
    },
    /// Another name of a field.
    Alias {
        /// The dotted path of that field.
        target: String,
    },
    /// An object whose fields belong to the row of the surrounding document.
    Object,
    /// A list of objects, each a row of its own.
    Nested,
    /// A type that cannot be searched; its values are only shown.
    Unsupported(String),
}

impl FieldKind {
    /// Returns whether fields of this kind hold other fields.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Object | Self::Nested)
    }

    /// Returns whether the values are whole numbers.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Byte | Self::Short | Self::Integer | Self::Long | Self::UnsignedLong)
    }

    /// Returns whether the values are numbers.
    pub fn is_numeric(&self) -> bool {
        self.is_integer() || matches!(self, Self::HalfFloat | Self::Float | Self::Double | Self::ScaledFloat { .. })
    }

    /// Returns whether the values are moments.
    pub fn is_date(&self) -> bool {
        self.date_format().is_some()
    }

    /// Returns whether the values are strings.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::Keyword | Self::Text | Self::Flattened | Self::Wildcard | Self::ConstantKeyword { .. })
    }

    /// Returns whether there are values to search for: neither a container, nor an alias, nor an unsupported type.
    pub fn has_values(&self) -> bool {
        !self.is_container() && !matches!(self, Self::Alias { .. } | Self::Unsupported(_))
    }

    /// Returns how the values of a date are written.
    pub fn date_format(&self) -> Option<&DateFormat> {
        match self {
            Self::Date { format } | Self::DateNanos { format } => Some(format),
            _ => None,
        }
    }
}
