//! All computers of a world come up to one place in their bios in the same way: the first of many is copied there, and
//! others go on from the copy.

use craftos_lua::Outcome;

use super::handles::Handles;
use super::queue::Queue;

/// A state at its checkpoint, and what it took to come there.
#[derive(Debug)]
pub struct Template {
    pub(super) machine: craftos_lua::State,
    pub(super) handles: Handles,
    pub(super) queue: Queue,
    pub(super) instructions: u64,
}

/// Whether a state has come to its checkpoint. It can only once: until then nothing but the ROM has run, and from then on
/// programs may have changed what others would begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    Ahead,
    /// It waits there for its host.
    Reached,
    Passed,
}

impl Checkpoint {
    /// The native that the bios calls there.
    pub fn call(&mut self, wanted: bool) -> Outcome {
        if *self == Self::Ahead && wanted {
            *self = Self::Reached;
            return Outcome::Wait(0, 0.0);
        }
        *self = Self::Passed;
        Outcome::NONE
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use crate::Options;
    use crate::world::World;

    /// Writes down the names of everything that a program finds, what is this computer's own, and when it began.
    const PROGRAM: &[u8] = br#"
        local began, seen, names = os.clock(), {}, {}
        local function look(value, name)
            names[#names + 1] = name .. " " .. type(value)
            if type(value) ~= "table" or seen[value] then return end
            seen[value] = true
            for key, inner in pairs(value) do look(inner, name .. "." .. tostring(key):gsub("0x%x+", "")) end
        end
        look(_G, "_G")
        table.sort(names)
        local file = fs.open("/found", "w")
        file.write(("%d %s %s %.3f\n"):format(
            os.getComputerID(), os.getComputerLabel(), settings.get("mine"), math.random()))
        file.write(table.concat(names, "\n"))
        file.close()
        file = fs.open("/began", "w")
        file.write(tostring(began))
        file.close()
        os.shutdown()"#;

    fn world(folder: &Path) -> Arc<World> {
        for id in 0..3 {
            let computer = folder.join(format!("computer/{id}"));
            std::fs::create_dir_all(&computer).expect("the folder is ours");
            std::fs::write(computer.join(".settings"), format!("{{ mine = \"own {id}\" }}"))
                .expect("it is ours");
        }
        std::fs::create_dir_all(folder.join("config")).expect("the folder is ours");
        std::fs::write(folder.join("config/2.json"), r#"{"label": "two"}"#).expect("the folder is ours");
        let mut options = Options::new(folder);
        options.simulate = true;
        options.script = Some(PROGRAM.to_vec());
        World::new(options).expect("the options are good")
    }

    fn run(world: &Arc<World>, ids: impl IntoIterator<Item = u32>) {
        world.boot_all(ids).expect("they start");
        world.simulate(None, &|| false);
        assert!(!world.is_any_on(), "{:?}", world.exits());
    }

    fn found(folder: &Path, id: u32, what: &str) -> String {
        std::fs::read_to_string(folder.join(format!("computer/{id}/{what}"))).expect("it wrote it down")
    }

    #[test]
    fn a_computer_that_begins_with_a_copy_is_as_one_that_does_not() {
        let (many, alone) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let world_of_many = world(many.path());
        run(&world_of_many, [0, 1]);
        assert!(world_of_many.template().is_some(), "it is left for others");
        run(&world_of_many, [2]);
        let world_alone = world(alone.path());
        run(&world_alone, [2]);
        assert!(world_alone.template().is_none(), "there are no others");
        let text = found(many.path(), 2, "found");
        assert_eq!(text, found(alone.path(), 2, "found"));
        assert!(text.starts_with("2 two own 2 "), "{text}");
        let random = |id| {
            found(many.path(), id, "found")
                .lines()
                .next()
                .and_then(|line| line.rsplit(' ').next().map(str::to_owned))
        };
        assert_ne!(random(0), random(1), "each has chances of its own");
        let began = |folder| found(folder, 2, "began").parse::<f64>().expect("a number");
        let (copied, whole) = (began(many.path()), began(alone.path()));
        assert!(
            (copied - whole).abs() < whole / 10.0,
            "{copied} and {whole}: it counts as if it had run itself"
        );
    }
}
