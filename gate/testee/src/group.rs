//! A testee with all the processes that it starts. They end together, even if the gate is killed.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is checked during a wait.
const LOOK: Duration = Duration::from_millis(5);

/// A process that leads a group of its own, and a guard that ends the group if this program dies
/// first. Dropping it ends the group.
pub(super) struct Group {
    leader: Child,
    /// Reads a pipe whose other end this program holds: the pipe closes in any case when this
    /// program ends.
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

    /// Returns the leader, for access to its pipes.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Returns the number of the leader's process.
    pub(super) fn number(&self) -> u32 {
        self.leader.id()
    }

    /// Has the leader died of a signal, or exited with a code other than 0? A launcher that exits with 0 may leave the
    /// testee itself behind. `false` once the leader is reaped.
    #[cfg(unix)]
    pub(super) fn has_failed(&self) -> bool {
        use nix::sys::wait::WaitStatus::{Exited, Signaled};
        match status(&self.leader) {
            Ok(Exited(_, code)) => code != 0,
            Ok(Signaled(..)) => true,
            _ => false,
        }
    }

    /// No process that a testee leaves behind keeps its pipes open.
    #[cfg(not(unix))]
    pub(super) fn has_failed(&self) -> bool {
        false
    }

    /// Returns the exit status of the leader, if it ends within `grace`. Ends processes that it
    /// leaves behind.
    pub(super) fn wait(&mut self, grace: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + grace;
        while !has_exited(&mut self.leader) {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(LOOK);
        }
        self.end()
    }

    /// Ends every process of the group and waits for them.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        // The guard ends first, and the leader is reaped last: until then no other group can get
        // the same number.
        if let Some(mut guard) = self.guard.take() {
            // These calls fail only if a process is already gone and reaped.
            let _ = guard.kill();
            let _ = guard.wait();
            end_all(self.leader.id());
        }
        let _ = self.leader.kill();
        self.leader.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a shell that waits for the end of this program, and then ends the group.
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

/// Has the process exited? It is not reaped.
#[cfg(unix)]
fn has_exited(child: &mut Child) -> bool {
    !matches!(status(child), Ok(nix::sys::wait::WaitStatus::StillAlive))
}

/// Returns what became of a process, without reaping it.
#[cfg(unix)]
fn status(child: &Child) -> nix::Result<nix::sys::wait::WaitStatus> {
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let id = i32::try_from(child.id()).map_err(|_| nix::errno::Errno::ESRCH)?;
    waitid(Id::Pid(nix::unistd::Pid::from_raw(id)), flags)
}

#[cfg(not(unix))]
fn has_exited(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn end_all(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(group) {
        // It fails only if no process of the group is left.
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn end_all(_: u32) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    /// Does the process exist, and is it not a zombie?
    fn is_alive(pid: &str) -> bool {
        let status = fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_ok_and(|text| !text.contains(") Z "))
    }

    fn gone_within(pid: &str, grace: Duration) -> bool {
        let deadline = Instant::now() + grace;
        while is_alive(pid) && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
        !is_alive(pid)
    }

    /// Starts a shell that leaves a process behind and writes its number to a file.
    fn start(folder: &std::path::Path, last: &str) -> (Group, String) {
        let file = folder.join("pid");
        let script =
            format!("sleep 600 & echo $! >'{0}.new'; mv '{0}.new' '{0}'; {last}", file.display());
        let group = Group::start(Command::new("sh").args(["-c", &script])).expect("a shell");
        while !file.exists() {
            thread::sleep(LOOK);
        }
        (group, fs::read_to_string(file).expect("a number").trim().to_string())
    }

    #[test]
    fn no_process_is_left_behind() {
        let long = Duration::from_secs(60);
        let folder = tempfile::tempdir().expect("a folder");
        let (mut group, orphan) = start(folder.path(), "exit 3");
        assert_eq!(group.wait(long).and_then(|status| status.code()), Some(3));
        assert!(gone_within(&orphan, long), "the leader exited");

        let folder = tempfile::tempdir().expect("a folder");
        let (mut group, orphan) = start(folder.path(), "wait");
        assert!(is_alive(&orphan) && group.wait(Duration::ZERO).is_none());
        drop(group);
        assert!(gone_within(&orphan, long), "the group was dropped");
    }

    /// The guard's pipe closes when this program ends in any way.
    #[test]
    fn the_guard_ends_the_group() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut group, orphan) = start(folder.path(), "wait");
        drop(group.guard.as_mut().and_then(|guard| guard.stdin.take()));
        assert!(gone_within(&orphan, Duration::from_secs(60)));
    }
}
