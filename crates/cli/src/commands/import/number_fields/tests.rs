use super::*;

#[test]
fn fields_are_remembered_up_to_a_number_of_bytes() {
    let name = |number: usize| format!("{number}{}", "x".repeat(MAX_FIELD_BYTES / 4));
    let mut fields = NumberFields::default();
    for number in 0..5 {
        fields.path = name(number);
        fields.note(FieldValues::Whole);
    }
    assert_eq!(fields.values.len(), 3);
    fields.path = name(0);
    fields.note(FieldValues::Fraction);
    assert!(fields.values[&name(0)] == FieldValues::Fraction, "what is remembered is still followed");
}
