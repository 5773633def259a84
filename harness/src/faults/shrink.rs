//! The least of a plan that still fails: one thing after the other is left out, and stays out where it fails without it.

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

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::*;

    #[test]
    fn what_the_failure_does_not_need_is_left_out() {
        let plan = Plan::draw(Profile::All, 3, &["12".to_owned()]);
        let (fault, call) = (plan.faults[0].clone(), plan.calls[1].clone());
        let least = shrink(&plan, |plan| plan.faults.contains(&fault) && plan.calls.contains(&call));
        assert_eq!(least, Plan { faults: vec![fault], calls: vec![call], ..Plan::default() });
    }
}
