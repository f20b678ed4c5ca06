//! The numbers in the names of an index's files: `<number>.segment`, `<number>.live`, `<number>.log`.
//!
//! Names come from a manifest or a folder that may be damaged or forged. One of any other form is none of ours, so it
//! leads to no place outside of the folder and has a number after which there are more.

/// Numbers are smaller than this; no index will ever have had as many files.
pub(super) const MAX_FILE_NUMBER: u64 = 1 << 62;

/// Returns the number of a file with this extension; nothing if its name is not exactly as it is written.
pub(super) fn parse(file: &str, extension: &str) -> Option<u64> {
    let digits = file.strip_suffix(extension)?.strip_suffix('.')?;
    let number = digits.parse::<u64>().ok().filter(|number| *number < MAX_FILE_NUMBER)?;
    (number.to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_written_have_a_number() {
        assert_eq!(parse("0.log", "log"), Some(0));
        assert_eq!(parse("17.segment", "segment"), Some(17));
        let last = u64::MAX.to_string() + ".log";
        for name in ["", ".log", "log", "01.log", "+1.log", "-1.log", "1.segment", "../1.log", "/1.log", "1log", &last]
        {
            assert_eq!(parse(name, "log"), None, "{name}");
        }
    }
}
