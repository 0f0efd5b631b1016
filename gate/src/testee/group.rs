//! A testee with all the processes that it starts: they live and die together, whatever happens to
//! the gate.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked after while it is waited for.
const LOOK: Duration = Duration::from_millis(5);

/// A process that leads a group of its own, and a guard that ends the group if this program dies
/// first. Dropping it ends the group.
pub(super) struct Group {
    leader: Child,
    /// Reads a pipe whose other end this program holds: the pipe closes however this program ends.
    guard: Option<Child>,
}

impl Group {
    /// Starts the command as the leader of a group.
    pub(super) fn start(command: &mut Command) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let leader = command.spawn()?;
        let mut group = Group { leader, guard: None };
        group.guard = guard(group.leader.id())?;
        Ok(group)
    }

    /// The leader, for its pipes.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// The exit status of the leader, if it ends within `grace`.
    pub(super) fn wait(&mut self, grace: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + grace;
        loop {
            match self.leader.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Ends every process of the group. Nothing is left to wait for afterwards.
    pub(super) fn end(&mut self) {
        // The guard goes first, so that it never meets another group of the same number.
        if let Some(mut guard) = self.guard.take() {
            // These fail only where a process is already gone and reaped.
            let _ = guard.kill();
            let _ = guard.wait();
            end_all(self.leader.id());
        }
        let _ = self.leader.kill();
        let _ = self.leader.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// A shell that waits for the end of this program, and then ends the group.
#[cfg(unix)]
fn guard(group: u32) -> io::Result<Option<Child>> {
    use std::os::unix::process::CommandExt;
    let script = "read -r _; kill -s KILL -- \"-$1\"";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script, "castproof-guard", &group.to_string()]).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().map(Some)
}

#[cfg(not(unix))]
fn guard(_: u32) -> io::Result<Option<Child>> {
    Ok(None)
}

#[cfg(unix)]
fn end_all(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(group) {
        // It fails only where no process of the group is left.
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn end_all(_: u32) {}
