//! Why a scenario failed, in parts: what is wrong in a sentence, the diff, and the step that each part of the diff is about.

use super::trace::{Direction, Event, Moment, What};

/// Stands between two places of a diff.
const BETWEEN: &str = "  ⋮";

/// A reason in its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure<'a> {
    /// What is wrong, without the diff and without screens: those stand for themselves.
    pub head: String,
    /// The places of the diff, each with its lines.
    pub diff: Vec<Vec<&'a str>>,
    /// What else is known, where there is a diff.
    pub rest: String,
    /// What to do.
    pub hints: Vec<&'a str>,
}

/// What a line of a diff says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Same,
    Added,
    Removed,
}

/// Says what a line of a diff is.
pub fn change(line: &str) -> Change {
    match line.as_bytes() {
        [b'+', b' ', ..] | b"+" => Change::Added,
        [b'-', b' ', ..] | b"-" => Change::Removed,
        _ => Change::Same,
    }
}

impl<'a> Failure<'a> {
    /// Takes a reason apart.
    pub fn of(reason: &'a str) -> Self {
        let mut lines = reason.trim_end().lines().peekable();
        let (mut head, mut rest, mut hints) = (Vec::new(), Vec::new(), Vec::new());
        let mut diff: Vec<Vec<&str>> = Vec::new();
        let mut is_screen = false;
        while let Some(line) = lines.next() {
            let is_start = line.ends_with("(- expected, + now):") && lines.peek() == Some(&"");
            if is_start && diff.is_empty() {
                head.push(line);
                lines.next();
                let is_diff = |line: &&str| matches!(line.as_bytes().first(), Some(b' ' | b'+' | b'-'));
                while let Some(line) = lines.next_if(is_diff) {
                    if line == BETWEEN || diff.is_empty() {
                        diff.push(Vec::new());
                    }
                    if line != BETWEEN {
                        diff.last_mut().expect("there is one by now").push(line);
                    }
                }
                continue;
            }
            // The screens have a part of the page for themselves.
            is_screen = line == "  its screen:" || (is_screen && line.starts_with("    "));
            if is_screen || line == "  its screen: nothing" {
                continue;
            }
            match line.strip_prefix("hint: ") {
                Some(hint) => hints.push(hint),
                None if diff.is_empty() => head.push(line),
                None => rest.push(line),
            }
        }
        Self { head: joined(&head), diff, rest: joined(&rest), hints }
    }

    /// The first line that differs; where there is no diff, what is wrong and what caused it first.
    pub fn first_line(&self) -> String {
        let changed = self.diff.iter().flatten().find(|line| change(line) != Change::Same);
        if let Some(line) = changed {
            return (*line).to_owned();
        }
        let first = self.head.lines().next().unwrap_or_default();
        match self.head.lines().filter_map(|line| line.strip_prefix("caused by: ")).next_back() {
            Some(cause) => format!("{first}: {cause}"),
            None => first.to_owned(),
        }
    }
}

/// Lines without the headings below which nothing is left.
fn joined(lines: &[&str]) -> String {
    let is_empty_heading = |at: usize| {
        let is_last = lines.get(at + 1).is_none_or(|next| !next.starts_with("  "));
        lines[at].starts_with("computer ") && lines[at].ends_with(':') && is_last
    };
    let kept: Vec<&str> = (0..lines.len()).filter(|at| !is_empty_heading(*at)).map(|at| lines[at]).collect();
    kept.join("\n").trim().to_owned()
}

/// What a place of a diff is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The number of the step.
    pub step: Option<usize>,
    /// The computer, where it is about what a computer did or shows.
    pub computer: Option<String>,
}

/// Finds what a place of a diff is about, in the transcript that it was made from and in the trace.
pub fn subject(place: &[&str], transcript: &str, moments: &[Moment]) -> Subject {
    let lines: Vec<&str> = transcript.lines().collect();
    let Some(at) = position(place, &lines) else { return Subject::default() };
    let Some(heading) =
        lines[..=at.min(lines.len() - 1)].iter().rposition(|line| line.starts_with("== computer "))
    else {
        return Subject { step: step_at(at, &lines, moments), computer: None };
    };
    let computer = name(lines[heading]);
    let within = &lines[heading..at];
    let step = match within.iter().rposition(|line| is_screen(line) || line.starts_with("link ")) {
        Some(part) if is_screen(within[part]) => screen_step(place, &computer, moments),
        Some(part) => frame_step(&within[part..], &computer, moments),
        None => None,
    };
    Subject { step, computer: Some(computer) }
}

/// Whether it is the heading of a screen.
fn is_screen(line: &str) -> bool {
    line == "screen:" || line.starts_with("screen, ")
}

/// The line of the transcript at which a place of a diff differs.
fn position(place: &[&str], lines: &[&str]) -> Option<usize> {
    let text = |line: &&str| line.get(2..).unwrap_or_default().to_owned();
    let now: Vec<String> = place.iter().filter(|line| change(line) != Change::Removed).map(text).collect();
    let before = place.iter().position(|line| change(line) != Change::Same)?;
    let fits =
        |from: &usize| now.iter().zip(&lines[*from..]).all(|(one, other)| one.trim_end() == other.trim_end());
    let from = (0..=lines.len().checked_sub(now.len())?).find(fits)?;
    (from + before <= lines.len() && !lines.is_empty()).then_some(from + before)
}

/// The last step whose heading stands at this line or before it.
fn step_at(at: usize, lines: &[&str], moments: &[Moment]) -> Option<usize> {
    let (mut from, mut found) = (0, None);
    for moment in moments {
        let What::Step { step, title } = &moment.what else { continue };
        let first = title.lines().next().unwrap_or_default();
        let Some(line) = lines[from..].iter().position(|line| *line == first) else { continue };
        if from + line > at {
            break;
        }
        from += line + 1;
        found = Some(*step);
    }
    found
}

/// `12` of `== computer 12 (Label: x)`, and `spare` of `== computer 12 called spare (Label: x)`.
fn name(heading: &str) -> String {
    let words: Vec<&str> = heading.split_whitespace().collect();
    let word = if words.get(3) == Some(&"called") { words.get(4) } else { words.get(2) };
    word.copied().unwrap_or_default().to_owned()
}

/// The step during which the frame after these lines of a link passed.
fn frame_step(lines: &[&str], computer: &str, moments: &[Moment]) -> Option<usize> {
    let number: usize = lines[0].strip_prefix("link ")?.strip_suffix(':')?.parse().ok()?;
    let is_frame = |line: &&&str| line.starts_with("  computer: ") || line.starts_with("  bridge: ");
    let before = lines.iter().filter(is_frame).count();
    // A transcript tells `output` frames where a step waits for them, and leaves them out otherwise.
    let tells_output = lines.iter().any(|line| line.contains("\"type\":\"output\""));
    let is_told = |text: &str| tells_output || !text.contains("\"type\":\"output\"");
    let mut frames = during(moments).filter(|(_, what)| match what {
        What::Link { computer: of, link, event: Event::Frame { direction, text, .. } } => {
            of == computer && *link == number && (*direction == Direction::ToComputer || is_told(text))
        }
        _ => false,
    });
    frames.nth(before).map(|(step, _)| step)
}

/// The step after which a computer first showed what is new.
fn screen_step(place: &[&str], computer: &str, moments: &[Moment]) -> Option<usize> {
    let added = place.iter().find(|line| change(line) == Change::Added)?.get(2..)?.trim();
    let mut shown = during(moments).filter(|(_, what)| {
        matches!(what, What::Screen { computer: of, screen } if of == computer && screen.contains(added))
    });
    shown.next().map(|(step, _)| step)
}

/// Everything that happened, with the step during which it did.
fn during(moments: &[Moment]) -> impl Iterator<Item = (usize, &What)> {
    moments.iter().scan(0, |step, moment| {
        if let What::Step { step: number, .. } = &moment.what {
            *step = *number;
        }
        Some((*step, &moment.what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASON: &str = "the transcript differs from the snapshot (- expected, + now):\n\n  call probe-computers\n\
        -   pong from 12\n+   pong from 13\n  ⋮\n  screen:\n-   a\n+   b\ncomputer 12:\n  its screen:\n    linked\n\
        computer 13:\n  its screen:\n    linked\n  the emulator's output:\n    x\nhint: accept it\n";

    #[test]
    fn a_reason_has_a_head_a_diff_and_hints_and_leaves_screens_to_others() {
        let failure = Failure::of(REASON);
        assert_eq!(failure.head, "the transcript differs from the snapshot (- expected, + now):");
        assert_eq!(failure.diff.len(), 2);
        assert_eq!(failure.rest, "computer 13:\n  the emulator's output:\n    x");
        assert_eq!(failure.first_line(), "-   pong from 12");
        assert_eq!(failure.hints, ["accept it"]);
        let error = Failure::of(
            "computer 12 ended\ncaused by: x\n  its screen:\n    bye\n  the emulator's output: nothing\n",
        );
        assert_eq!(error.head, "computer 12 ended\ncaused by: x\n  the emulator's output: nothing");
        assert_eq!(error.first_line(), "computer 12 ended: x");
    }

    #[test]
    fn each_place_of_a_diff_has_its_step() {
        let at = |at_ms, what| Moment { at_ms, what };
        let step = |step, title: &str| What::Step { step, title: title.to_owned() };
        let frame = |text: &str| What::Link {
            computer: "12".to_owned(),
            link: 1,
            event: Event::Frame { direction: Direction::ToBridge, text: text.to_owned(), note: None },
        };
        let screen = |screen: &str| What::Screen { computer: "12".to_owned(), screen: screen.to_owned() };
        let moments = [
            at(0.0, step(0, "boot")),
            at(1.0, frame("hello")),
            at(2.0, step(1, "call probe-computers")),
            at(2.5, frame("pong")),
            at(3.0, step(2, "call probe-computers")),
            at(3.5, frame("pong again")),
            at(4.0, screen("linked\nb")),
        ];
        let transcript = "# x\n\ncall probe-computers\n  pong\ncall probe-computers\n  pong from 13\n\n\
            == computer 12 (Label: x)\nlink 1:\n  opened\n  computer: hello\n  computer: pong\n  computer: other\nscreen:\n  linked\n  b\nstopped\n";
        let of = |place: &[&str]| subject(place, transcript, &moments);
        let second = of(&["  call probe-computers", "-   pong from 12", "+   pong from 13"]);
        assert_eq!(second, Subject { step: Some(2), computer: None });
        let frame = of(&["    computer: pong", "-   computer: one", "+   computer: other"]);
        assert_eq!(frame, Subject { step: Some(2), computer: Some("12".to_owned()) });
        let shown = of(&["    linked", "-   a", "+   b"]);
        assert_eq!(shown, Subject { step: Some(2), computer: Some("12".to_owned()) });
        assert_eq!(of(&["+ nowhere"]), Subject::default());
    }
}
