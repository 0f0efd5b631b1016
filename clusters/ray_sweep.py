"""Runs a sweep on a Ray cluster: every share is a task; the certificates are joined at the end.

    ray_sweep.py --shares 64 --certificate all.json -- --testee builtin --from float32

The arguments after `--` are passed to `castproof sweep`. A share whose worker or node dies is
started again. It goes on where it was if its new node can see the files in --scratch.
The exit status is that of `castproof sweep`: 0 if all is well, 1 if the sweep found failures, 2 if
it could not be carried out.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import ray
from ray.exceptions import RayError, RayTaskError

# Options that this driver sets for every share.
OWN_OPTIONS = ("--shard", "--certificate", "--threads")


class ShareFailed(Exception):
    """A share that cannot be carried out; trying again would not help."""


class ShareKilled(Exception):
    """A share whose sweep was ended by a signal; it is tried again."""


def main() -> int:
    """Runs the sweep that the command line asks for; returns the exit status."""
    arguments = parse_arguments()
    try:
        check_reachable(arguments.address)
        ray.init(address=arguments.address, log_to_driver=False, logging_level="error")
    except (RayError, OSError, ValueError) as error:
        return failed(f"no Ray cluster: {first_line(error)}")
    try:
        with tempfile.TemporaryDirectory(prefix="castproof-ray-") as folder:
            certificates = collect(arguments, Path(folder))
            return merge(arguments, certificates)
    except RayTaskError as error:
        return failed(first_line(error.cause))
    except (RayError, OSError) as error:
        return failed(first_line(error))
    finally:
        ray.shutdown()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Runs a sweep on a Ray cluster, a task for each share.",
        epilog="What stands after -- is handed to `castproof sweep`.",
        usage="%(prog)s [options] --certificate FILE -- --testee COMMAND [sweep options]",
    )
    option = parser.add_argument
    option("--certificate", metavar="FILE", required=True, help="where the joined one is written")
    option("--shares", metavar="N", type=positive, default=8, help="default: 8")
    option("--cpus", metavar="N", type=positive, default=1, help="for each share; default: 1")
    option("--retries", metavar="N", type=int, default=3, help="for each share; default: 3")
    address = os.environ.get("RAY_ADDRESS")
    option("--address", default=address, help="default: $RAY_ADDRESS, else this machine alone")
    option("--castproof", metavar="PROGRAM", default="castproof", help="on every node")
    option("--scratch", metavar="FOLDER", default="/tmp", help="on every node; default: /tmp")
    option("sweep", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    for word in arguments.sweep:
        if word.split("=")[0] in OWN_OPTIONS:
            parser.error(f"{word} is set for each share by this driver; leave it out after --")
    return arguments


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def check_reachable(address: str | None) -> None:
    """Fails at once if the address cannot be reached; Ray itself would try for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def collect(arguments: argparse.Namespace, folder: Path) -> list[Path]:
    """Runs all shares; returns their certificates in the order of the shares."""
    task = sweep_share.options(
        num_cpus=arguments.cpus,
        max_retries=arguments.retries,
        retry_exceptions=[ShareKilled],
    )
    command = [arguments.castproof, "sweep", *arguments.sweep, "--threads", str(arguments.cpus)]
    # The name is unique to this run, so that a share finds only journals of its earlier attempts.
    scratch = f"{arguments.scratch}/castproof-{uuid.uuid4().hex}"
    cpus = ray.cluster_resources().get("CPU", 0)
    each = f"{arguments.shares} shares of {arguments.cpus} CPU each"
    print(f"{each}; the cluster has {cpus:g} CPU now", flush=True)
    shares = range(1, arguments.shares + 1)
    running = {task.remote(command, share, arguments.shares, scratch): share for share in shares}
    certificates = {}
    while running:
        (ended,), _ = ray.wait(list(running), num_returns=1)
        share = running.pop(ended)
        certificate, verdict = ray.get(ended)
        certificates[share] = folder / f"share-{share}.json"
        certificates[share].write_bytes(certificate)
        count = f"{len(certificates)} of {arguments.shares} done"
        print(f"share {share}/{arguments.shares}: {verdict} ({count})", flush=True)
    return [certificates[share] for share in shares]


@ray.remote
def sweep_share(command: list[str], share: int, shares: int, scratch: str) -> tuple[bytes, str]:
    """Sweeps one share; returns its certificate and the last line of its report."""
    certificate = Path(f"{scratch}-share-{share}.json")
    # The sweep dies as soon as this worker dies, even if Ray cleans up later. So it does not write
    # to the journal with which its successor goes on.
    command = ["setpriv", "--pdeathsig", "KILL", *command]
    command += ["--shard", f"{share}/{shares}", "--certificate", str(certificate)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode < 0:
        raise ShareKilled(f"share {share}/{shares} was ended by signal {-ran.returncode}")
    # Status 3: the share is complete, and 0 if it is the only one. Status 1: it has failures, which the joined certificate records.
    if ran.returncode not in (0, 1, 3):
        reason = (ran.stderr.strip() or f"exit status {ran.returncode}").splitlines()[-1]
        raise ShareFailed(f"share {share}/{shares}: {reason}")
    content = certificate.read_bytes()
    certificate.unlink()
    report = ran.stdout.splitlines()
    resumed = [line for line in report if line.startswith("resumed:")]
    return content, "; ".join([*resumed, report[-1].split("; certificate")[0]])


def merge(arguments: argparse.Namespace, certificates: list[Path]) -> int:
    command = [arguments.castproof, "sweep", "merge", "--certificate", arguments.certificate]
    return subprocess.run([*command, *certificates]).returncode


def failed(reason: str) -> int:
    print(f"ray_sweep.py: {reason}", file=sys.stderr)
    return 2


def first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


if __name__ == "__main__":
    sys.exit(main())
