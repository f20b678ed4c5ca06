//! The messages of strings that do not have the format of their schema.

/// Returns the message of a string that does not have a format.
pub(super) fn invalid(format: &str, text: &str) -> String {
    let expected = match format {
        "date" => "date. Expected [yyyy-MM-dd]",
        "date-time" => {
            "date-time. Expected [yyyy-MM-dd'T'HH:mm:ssZ, yyyy-MM-dd'T'HH:mm:ss.[0-9]{1,9}Z, \
             yyyy-MM-dd'T'HH:mm:ss[+-]HH:mm, yyyy-MM-dd'T'HH:mm:ss.[0-9]{1,9}[+-]HH:mm]"
        }
        "time" => "time. Expected [HH:mm:ssZ, HH:mm:ss.[0-9]{1,9}Z, HH:mm:ss[+-]HH:mm, HH:mm:ss.[0-9]{1,9}[+-]HH:mm]",
        "email" => "email address",
        "ipv4" => "ipv4 address",
        "ipv6" => "ipv6 address",
        "uri" => "URI",
        "uri-reference" => "URI reference",
        "uri-template" => "URI template",
        "json-pointer" => "JSON pointer",
        "relative-json-pointer" => "relative JSON Pointer",
        "regex" => "regular expression",
        other => other,
    };
    format!("[{text}] is not a valid {expected}")
}
