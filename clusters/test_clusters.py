"""Runs the examples for clusters on this machine.

Run with `.venv-clusters/bin/python -m unittest discover clusters` from the root of the repository.
The schedulers are replaced by a few lines below that set their variables and pass files on; the
shell commands are those of the examples. For Ray, a real cluster is started.

Castproof is built first, unless the environment variable CASTPROOF names the program.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None
try:
    import ray.cluster_utils
except ImportError:
    ray = None

HERE = Path(__file__).resolve().parent
MISSING = "is missing: run ./setup.sh --clusters, then .venv-clusters/bin/python"

# Many requests of one chunk each, so that a share takes almost no time.
FILTERS = "--from float16"

# Seconds after which a command that has not ended counts as hung.
COMMAND_SECONDS = 300

# How often a node of Ray is started before the tests give up.
NODE_ATTEMPTS = 6

# Six requests of 256 chunks, so that a share takes seconds: long enough to end it in its middle.
LONG_FILTERS = "--from uint32 --to float8e8m0"

# Replaces the scheduler: this `sbatch` runs each submitted job at once, as an idle cluster would.
SBATCH = """
import argparse, os, pathlib, subprocess, sys
parser = argparse.ArgumentParser(allow_abbrev=False)
for flag in ("--parsable", "--requeue"):
    parser.add_argument(flag, action="store_true")
for option in ("--job-name", "--array", "--cpus-per-task", "--dependency", "--kill-on-invalid-dep"):
    parser.add_argument(option)
parser.add_argument("script", nargs="+")
job = parser.parse_args()
ended = pathlib.Path(os.environ["ENDED_JOBS"])
identity = str(len(list(ended.iterdir())) + 1)
statuses = []
if job.dependency is None or (ended / job.dependency.removeprefix("afterok:")).read_text() == "0":
    first, last = map(int, (job.array or "0-0").split("-"))
    for task in range(first, last + 1):
        task = {"SLURM_ARRAY_TASK_ID": str(task)} if job.array else {}
        ran = subprocess.run(["bash", *job.script], env=os.environ | task, stdout=sys.stderr)
        statuses.append(ran.returncode)
(ended / identity).write_text(str(max(statuses, default="not run")))
print(f"{identity};cluster" if job.parsable else f"Submitted batch job {identity}")
"""

# A testee that answers every request with zeros. It finds the adapters' module by itself: in PYTHONPATH, the folders of
# the adapters would be modules for Ray, which looks for `pyarrow`.
FAULTY_TESTEE = f"""
import sys
sys.path.append("{HERE.parent / "adapters"}")
import castproof_testee
stream = castproof_testee.claim_stdio()
castproof_testee.serve(stream, "faulty", "0", lambda request, payload: bytes(len(payload)))
"""


def setUpModule():
    global castproof
    castproof = os.environ.get("CASTPROOF")
    if castproof is None:
        build = ["cargo", "build", "--quiet", "--package", "castproof"]
        subprocess.run(build, cwd=HERE, check=True)
        castproof = HERE.parent / "target/debug/castproof"
    castproof = str(Path(castproof).resolve(strict=True))
    for name, module in (("PyYAML", yaml), ("Ray", ray)):
        if module is None:
            print(f"Tests are skipped, for {name} {MISSING}", file=sys.stderr)


class Example(unittest.TestCase):
    """A folder in which an example works, with `castproof` in the PATH."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        (self.programs / "castproof").symlink_to(castproof)
        self.work = self.folder / "work"
        self.work.mkdir()

    def run_command(self, command: list, folder: Path, **variables: str):
        """Runs what a scheduler would run, with the variables that it would set."""
        path = f"{self.programs}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path}
        return subprocess.run(
            command,
            cwd=folder,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )

    def assert_runs(self, command: list, folder: Path, **variables: str) -> str:
        ran = self.run_command(command, folder, **variables)
        self.assertEqual(ran.returncode, 0, f"{command}: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def assert_undivided(self, certificate: Path, filters: str = FILTERS) -> None:
        """Asserts that a certificate is that of a sweep that was never divided."""
        whole = self.folder / "whole.json"
        command = ["castproof", "sweep", "--testee", "builtin", *filters.split()]
        self.assert_runs([*command, "--certificate", whole], self.folder)
        self.assertEqual(lasting(certificate), lasting(whole))


class Slurm(Example):
    def setUp(self):
        super().setUp()
        sbatch = self.programs / "sbatch"
        sbatch.write_text(f"#!{sys.executable}\n{SBATCH}")
        sbatch.chmod(0o755)
        self.ended = self.folder / "ended"
        self.ended.mkdir()

    def submit(self, **variables: str) -> str:
        variables["ENDED_JOBS"] = str(self.ended)
        return self.assert_runs([HERE / "slurm.sh"], self.work, **variables)

    def job(self, identity: str) -> str:
        return (self.ended / identity).read_text()

    def test_the_joined_certificate_is_that_of_an_undivided_sweep(self):
        self.submit(SHARES="3", FILTERS=FILTERS)
        self.assertEqual((self.job("1"), self.job("2")), ("0", "0"))
        self.assertEqual(len(list(self.work.glob("share-?.json"))), 3)
        self.assert_undivided(self.work / "castproof-sweep.json")

    def test_failures_are_in_the_joined_certificate(self):
        testee = f"{sys.executable} -c '{FAULTY_TESTEE}'"
        self.submit(SHARES="2", TESTEE=testee, FILTERS="--from int8 --to int8")
        self.assertEqual((self.job("1"), self.job("2")), ("0", "1"))
        (request,) = lasting(self.work / "castproof-sweep.json")["requests"]
        self.assertEqual(request["whole"]["found"]["fail"], 255)

    def test_nothing_is_joined_if_a_share_could_not_be_carried_out(self):
        self.submit(SHARES="2", FILTERS="--from float7")
        self.assertEqual((self.job("1"), self.job("2")), ("1", "not run"))


@unittest.skipIf(yaml is None, f"PyYAML {MISSING}")
class GithubActions(Example):
    """Runs the steps of each job in a folder of its own; the build is left out."""

    def setUp(self):
        super().setUp()
        self.workflow = yaml.safe_load((HERE / "github-actions.yml").read_text())
        self.artifacts = self.folder / "artifacts"
        (self.artifacts / "castproof").mkdir(parents=True)
        shutil.copy(castproof, self.artifacts / "castproof/castproof")
        # A file from an artifact is not executable.
        (self.artifacts / "castproof/castproof").chmod(0o644)

    def run_job(self, name: str, context: dict[str, str]) -> Path:
        """Runs a job; `context` has the values of the expressions that it uses."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        for step in self.workflow["jobs"][name]["steps"]:
            inputs = step.get("with", {}).items()
            inputs = {name: evaluate(str(value), context) for name, value in inputs}
            match step.get("uses", "").split("@")[0]:
                case "":
                    text = evaluate(step["run"], context)
                    variables = self.workflow["env"] | {"FILTERS": FILTERS}
                    self.assert_runs(["bash", "-e", "-c", text], folder, **variables)
                case "actions/upload-artifact":
                    (self.artifacts / inputs["name"]).mkdir()
                    shutil.copy(folder / inputs["path"], self.artifacts / inputs["name"])
                case "actions/download-artifact":
                    self.download(inputs, folder)
                case other:
                    self.fail(f"no stand-in for {other}")
        return folder

    def download(self, inputs: dict[str, str], folder: Path) -> None:
        if "name" in inputs:
            found = [self.artifacts / inputs["name"]]
        else:
            self.assertEqual(inputs["merge-multiple"], "True", "else each gets a folder of its own")
            found = self.artifacts.glob(inputs["pattern"])
        for artifact in found:
            shutil.copytree(artifact, folder, dirs_exist_ok=True)

    def test_the_joined_certificate_is_that_of_an_undivided_sweep(self):
        jobs = self.workflow["jobs"]
        shares = jobs["share"]["strategy"]["matrix"]["share"]
        self.assertEqual(shares, list(range(1, len(shares) + 1)))
        self.assertEqual((jobs["share"]["needs"], jobs["merge"]["needs"]), ("build", "share"))
        for share in shares:
            total = str(len(shares))
            self.run_job("share", {"matrix.share": str(share), "strategy.job-total": total})
        self.run_job("merge", {})
        self.assert_undivided(self.artifacts / "castproof-sweep/castproof-sweep.json")

    def test_what_the_build_hands_on_is_the_program(self):
        *_, compile, upload = self.workflow["jobs"]["build"]["steps"]
        self.assertEqual(compile["run"], "cargo build --release --locked --package castproof")
        expected = {"name": "castproof", "path": "target/release/castproof"}
        self.assertEqual(upload["with"], expected)


@unittest.skipIf(yaml is None, f"PyYAML {MISSING}")
class Kubernetes(Example):
    def setUp(self):
        super().setUp()
        documents = yaml.safe_load_all((HERE / "kubernetes.yaml").read_text())
        self.volume, self.share, self.merge = documents

    def run_pod(self, job: dict, **variables: str) -> None:
        """Runs the container of a job's pod, in the folder that stands for the volume."""
        pod = job["spec"]["template"]["spec"]
        (container,), (volume,) = pod["containers"], pod["volumes"]
        (mount,) = container["volumeMounts"]
        self.assertEqual((mount["name"], mount["mountPath"]), (volume["name"], "/sweep"))
        self.assertEqual(container["workingDir"], "/sweep")
        claim = volume["persistentVolumeClaim"]["claimName"]
        self.assertEqual(claim, self.volume["metadata"]["name"])
        set_by_job = {item["name"]: item["value"] for item in container.get("env", [])}
        self.assert_runs(container["command"], self.work, **set_by_job | variables)

    def test_the_joined_certificate_is_that_of_an_undivided_sweep(self):
        shares = self.share["spec"]["completions"]
        (container,) = self.share["spec"]["template"]["spec"]["containers"]
        self.assertIn({"name": "SHARES", "value": str(shares)}, container["env"])
        for index in range(shares):
            self.run_pod(self.share, JOB_COMPLETION_INDEX=str(index), FILTERS=FILTERS)
        self.assertTrue(self.merge["spec"]["suspend"], "it would not wait for the shares")
        self.run_pod(self.merge)
        self.assert_undivided(self.work / "castproof-sweep.json")


@unittest.skipIf(ray is None, f"Ray {MISSING}")
class Ray(Example):
    """Runs the driver on a cluster of two nodes of one core each."""

    @classmethod
    def setUpClass(cls):
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        # Every process of a node imports hundreds of modules; without this, each compiles them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        cls.cluster = ray.cluster_utils.Cluster()
        cls.addClassCleanup(cls.cluster.shutdown)
        cls.add_node(num_cpus=0)
        cls.nodes = [cls.add_node(num_cpus=1) for _ in range(2)]

    @classmethod
    def add_node(cls, **arguments):
        """Adds a node; tries again if it does not start.

        A node of Ray ends itself if the agents that it starts have not written their ports in
        time. On a machine of two busy cores they once needed 24 s for their imports alone.
        """
        for attempt in range(1, NODE_ATTEMPTS + 1):
            try:
                return cls.cluster.add_node(**arguments)
            except Exception as error:  # Ray raises no narrower class.
                print(f"node of Ray, attempt {attempt} of {NODE_ATTEMPTS}: {error}", file=sys.stderr)
        raise TimeoutError(f"no node of Ray started in {NODE_ATTEMPTS} attempts:\n{raylet_logs()}")

    def driver(self, *options: str, filters: str = FILTERS) -> list:
        program = [sys.executable, "-X", "faulthandler", HERE / "ray_sweep.py"]
        command = [*program, "--address", self.cluster.address]
        command += ["--castproof", castproof, "--scratch", self.work, *options]
        return [*command, "--", "--testee", "builtin", *filters.split()]

    def test_the_joined_certificate_is_that_of_an_undivided_sweep(self):
        joined = self.folder / "joined.json"
        printed = self.assert_runs(self.driver("--shares", "5", "--certificate", joined), self.work)
        self.assertIn("(5 of 5 done)", printed)
        self.assert_undivided(joined)
        self.assertEqual(list(self.work.iterdir()), [], "what the shares left behind")

    def test_a_share_whose_worker_is_killed_goes_on(self):
        self.check_resumed(lambda sweep: os.kill(parent(sweep), signal.SIGKILL))

    def test_a_share_that_is_killed_goes_on(self):
        self.check_resumed(lambda sweep: os.kill(sweep, signal.SIGKILL))

    def test_a_share_whose_node_is_lost_goes_on(self):
        self.check_resumed(self.lose_node)

    def lose_node(self, sweep: int) -> None:
        """Kills the node on which this process sweeps; adds another in its place."""
        (node,) = (node for node in self.nodes if raylet(node) == parent(parent(sweep)))
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)
        self.nodes.append(self.add_node(num_cpus=1))

    def check_resumed(self, end) -> None:
        """Calls `end` with the process of a running share; checks that the share goes on."""
        joined = self.folder / "joined.json"
        command = self.driver("--shares", "2", "--certificate", joined, filters=LONG_FILTERS)
        pipe = subprocess.PIPE
        driver = subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        for cleanup in (driver.wait, driver.kill, driver.stdout.close):
            self.addCleanup(cleanup)
        sweep, certificate = self.share_under_way()
        os.kill(sweep, signal.SIGSTOP)
        # After a share is complete, neither its journal nor its certificate is left.
        journal = certificate.with_name(f"{certificate.name}.journal")
        self.assertTrue(journal.exists(), "the share was complete before it was stopped")
        end(sweep)
        printed = self.output_of(driver)
        self.assertEqual(driver.returncode, 0, printed)
        self.assertRegex(printed, r"share \d/2: resumed: \d+ of \d+ chunks were done")
        self.assertNotIn(str(certificate), arguments_of(sweep), "it would write to the journal too")
        self.assert_undivided(joined, LONG_FILTERS)

    def output_of(self, driver: subprocess.Popen) -> str:
        """Waits for the end of a driver; one that hangs says where before the test fails."""
        try:
            return driver.communicate(timeout=COMMAND_SECONDS)[0]
        except subprocess.TimeoutExpired:
            driver.send_signal(signal.SIGABRT)
            printed, _ = driver.communicate()
            self.fail(f"the driver did not end within {COMMAND_SECONDS} s: {printed}")

    def share_under_way(self) -> tuple[int, Path]:
        """Waits until a share has made progress; returns its process and its certificate."""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            for journal in self.work.glob("*.journal"):
                if len(journal.read_text().splitlines()) >= 3:
                    certificate = journal.with_suffix("")
                    return process_with(str(certificate)), certificate
            time.sleep(0.002)
        self.fail("no share has begun")

    def test_what_cannot_be_carried_out_is_said_in_one_line(self):
        joined = self.folder / "joined.json"
        for filters, changed, said in (
            ("--from float7", [], "share 1/1: castproof: invalid value 'float7'"),
            (FILTERS, ["--castproof", "no-such-program"], "no-such-program"),
            (FILTERS, ["--address", "127.0.0.1:1"], "no Ray cluster: "),
            (FILTERS, ["--scratch", "/no-such-folder"], "cannot be written"),
        ):
            options = ["--shares", "1", "--certificate", joined, *changed]
            ran = self.run_command(self.driver(*options, filters=filters), self.work)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertRegex(ran.stderr, r"\Aray_sweep\.py: [^\n]*\n\Z")
            self.assertIn(said, ran.stderr)
            self.assertFalse(joined.exists())


def lasting(certificate: Path) -> dict:
    """Returns a certificate without what differs from run to run."""
    content = json.loads(certificate.read_text())
    for key in ("date", "machine", "seal"):
        del content[key]
    for request in content["requests"]:
        del request["whole"]["milliseconds"]
    return content


def evaluate(text: str, context: dict[str, str]) -> str:
    """Replaces ${{ expressions }} by their values."""
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda expression: context[expression[1]], text)


def process_with(argument: str) -> int:
    """Returns the process that was started with this argument."""
    for process in Path("/proc").glob("[0-9]*"):
        if argument in arguments_of(int(process.name)):
            return int(process.name)
    raise AssertionError(f"no process has the argument {argument}")


def arguments_of(process: int) -> list[str]:
    """Returns the arguments of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def raylet(node) -> int:
    """Returns the process of a Ray node that starts its workers."""
    return node.all_processes["raylet"][0].process.pid


def raylet_logs() -> str:
    """Returns the last lines that the nodes of Ray which started last have logged."""
    logs = Path("/tmp/ray/session_latest/logs")
    return "\n".join(f"{log}:\n{log.read_text()[-2000:]}" for log in sorted(logs.glob("raylet*")))


def parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^PPid:\s+(\d+)", status, re.MULTILINE)[1])


if __name__ == "__main__":
    unittest.main()
