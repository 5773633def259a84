//! Computers of one process hear each other.

use crate::context::{TestContext, text};

#[test]
fn rednet_works_between_computers_of_one_process() {
    for kind in ["modem", "wireless_modem"] {
        let context = TestContext::new();
        let lua = format!(
            "periphemu.create('top', '{kind}') rednet.open('top')
            if os.getComputerID() == 0 then
                local id, message repeat id, message = rednet.receive('greeting', 10) until message
                print('got', id, message.text) rednet.send(id, 'thanks', 'greeting') sleep(0.2)
            else
                local id, message
                repeat rednet.send(0, {{ text = 'hello' }}, 'greeting') id, message = rednet.receive('greeting', 0.2) until message
                print('answer', id, message)
            end
            os.shutdown()"
        );
        let output =
            context.command().args(["-i", "0,5", "--exec", &lua]).output().expect("the program runs");
        let printed = text(&output.stdout);
        assert!(
            printed.contains("got\t5\thello\n") && printed.contains("answer\t0\tthanks\n"),
            "{kind}: {output:?}"
        );
    }
}

#[test]
fn a_computer_can_start_and_stop_another() {
    let context = TestContext::new();
    context.write(
        "computer/9/startup.lua",
        "print('nine is up') fs.makeDir('/up') while true do os.pullEvent() end",
    );
    let nine = format!("nine={}", context.path().join("computer/9").display());
    let lua = "if os.getComputerID() ~= 0 then return end
        print(periphemu.create(9, 'computer')) local nine = peripheral.wrap('computer_9')
        print(nine.getID(), nine.isOn()) repeat sleep(0.02) until fs.exists('/nine/up') nine.shutdown() repeat sleep(0.05) until not nine.isOn() print('off') os.shutdown()";
    let output =
        context.command().args(["--mount-ro", &nine, "--exec", lua]).output().expect("the program runs");
    let printed = text(&output.stdout);
    assert!(
        printed.contains("true\n9\ttrue\n") && printed.contains("nine is up") && printed.contains("off\n"),
        "{output:?}"
    );
}

#[test]
fn disks_chests_monitors_and_speakers_can_be_attached() {
    let context = TestContext::new();
    let printed = context.exec(
        "periphemu.create('left', 'drive') peripheral.call('left', 'insertDisk', 3)
        print(disk.isPresent('left'), disk.getMountPath('left'), disk.getID('left'))
        local f = fs.open('disk/f', 'w') f.write('x') f.close()
        print(pcall(peripheral.call, 'left', 'insertDisk', '/etc'))
        periphemu.create('right', 'minecraft:chest') periphemu.create('chest_1', 'minecraft:chest')
        peripheral.call('right', 'setItem', 1, { name = 'dirt', count = 5 })
        print(peripheral.call('right', 'pushItems', 'chest_1', 1, 3), peripheral.call('chest_1', 'list')[1].count)
        periphemu.create('top', 'monitor') local m = peripheral.wrap('top') m.write('hi') print(m.getCursorPos())
        periphemu.create('back', 'speaker') print(peripheral.call('back', 'playNote', 'harp'))
        os.shutdown()",
    );
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "true\tdisk\t3");
    assert!(lines[1].starts_with("false"), "{printed}");
    assert_eq!(&lines[2..], ["3\t3", "3\t1", "true"]);
    assert_eq!(context.read("computer/disk/3/f"), "x");
}
