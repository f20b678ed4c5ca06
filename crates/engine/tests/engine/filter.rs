//! The short forms in which filters are made.

use cantata_engine::Filter;

use crate::support::{and, exists, nested, not, or};

#[test]
fn combinations_have_no_needless_levels() {
    let (a, b, c) = (exists("a"), exists("b"), exists("c"));
    let cases = [
        (Filter::and([]), Filter::All),
        (Filter::and([Filter::All, a.clone()]), a.clone()),
        (Filter::and([a.clone(), Filter::None]), Filter::None),
        (Filter::and([and([a.clone(), b.clone()]), c.clone()]), and([a.clone(), b.clone(), c.clone()])),
        (Filter::or([]), Filter::None),
        (Filter::or([Filter::None, a.clone()]), a.clone()),
        (Filter::or([a.clone(), Filter::All]), Filter::All),
        (Filter::or([or([a.clone(), b.clone()]), c.clone()]), or([a.clone(), b, c])),
        (a.clone().negated(), not(a.clone())),
        (not(a.clone()).negated(), a.clone()),
        (Filter::All.negated(), Filter::None),
        (Filter::None.negated(), Filter::All),
        (a.clone().nested_in(""), a.clone()),
        (a.clone().nested_in("n"), nested("n", a)),
        (Filter::None.nested_in("n"), Filter::None),
        (Filter::All.nested_in("n"), nested("n", Filter::All)),
    ];
    for (made, expected) in cases {
        assert_eq!(made, expected);
    }
}
