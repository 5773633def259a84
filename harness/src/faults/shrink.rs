//! The least that still fails: one thing after the other is left out, and stays out where it fails without it.

use std::collections::BTreeSet;

use super::Plan;

/// Plays that shrinking may take: enough for a plan of twenty things, each tried three times.
const PLAYS: usize = 60;

/// Leaves out what the failure does not need. `fails` plays a plan and says whether it still fails.
pub fn shrink(plan: &Plan, mut fails: impl FnMut(&Plan) -> bool) -> Plan {
    let (mut least, mut plays) = (plan.clone(), 0);
    loop {
        let before = least.len();
        for place in (0..least.len()).rev() {
            if plays >= PLAYS {
                return least;
            }
            let mut smaller = least.clone();
            if place < smaller.faults.len() {
                smaller.faults.remove(place);
            } else {
                smaller.calls.remove(place - smaller.faults.len());
            }
            plays += 1;
            if fails(&smaller) {
                least = smaller;
            }
        }
        if least.len() == before {
            return least;
        }
    }
}

/// Leaves out the computers that the failure does not need, all that are not `needed` first, then fewer at once. `fails` plays
/// with those that are left and says whether it still fails.
pub fn shrink_computers(
    all: &[String],
    needed: &BTreeSet<String>,
    mut fails: impl FnMut(&BTreeSet<String>) -> bool,
) -> BTreeSet<String> {
    let mut others: Vec<&String> = all.iter().filter(|name| !needed.contains(*name)).collect();
    let with = |others: &[&String]| needed.iter().chain(others.iter().copied()).cloned().collect();
    let (mut at_once, mut plays) = (others.len(), 0);
    while at_once > 0 {
        let mut end = others.len();
        while end > 0 && plays < PLAYS {
            let begin = end.saturating_sub(at_once);
            let rest = [&others[..begin], &others[end..]].concat();
            let left: BTreeSet<String> = with(&rest);
            // Without any computer there would be nothing to play on.
            if !left.is_empty() {
                plays += 1;
                if fails(&left) {
                    others = rest;
                }
            }
            end = begin;
        }
        at_once /= 2;
    }
    with(&others)
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::*;

    #[test]
    fn a_computer_that_the_failure_needs_is_found_among_many() {
        let all: Vec<String> = (0..40).map(|id| id.to_string()).collect();
        let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(ToString::to_string).collect() };
        for (needed, decides, least) in [
            (set(&["12"]), set(&[]), set(&["12"])),
            (set(&["12"]), set(&["3", "31"]), set(&["12", "3", "31"])),
            (set(&[]), set(&["7"]), set(&["7"])),
            (set(&[]), set(&[]), set(&["0"])),
        ] {
            let found = shrink_computers(&all, &needed, |left| {
                assert!(!left.is_empty() && left.is_superset(&needed), "{left:?}");
                left.is_superset(&decides)
            });
            assert_eq!(found, least, "{needed:?} {decides:?}");
        }
    }

    #[test]
    fn what_the_failure_does_not_need_is_left_out() {
        let plan = Plan::draw(Profile::All, 3, &["12".to_owned()]);
        let (fault, call) = (plan.faults[0].clone(), plan.calls[1].clone());
        let least = shrink(&plan, |plan| plan.faults.contains(&fault) && plan.calls.contains(&call));
        assert_eq!(least, Plan { faults: vec![fault], calls: vec![call], ..Plan::default() });
    }
}
