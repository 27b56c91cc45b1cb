# SPDX-License-Identifier: Apache-2.0
"""A Slurm of two nodes on this machine, by Debian's slurm-wlm and munge: everything on loopback, in one folder."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scontrol", "sinfo"]
NODES = ["n1", "n2"]
CONFIGURATION = """
ClusterName=jitune
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={control}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=300
KillWait=120
MailProg=/bin/true
PartitionName=all Nodes={nodes} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no Slurm here; nothing where there can be."""
    programs = [name for name in PROGRAMS if find(name) is None]
    if programs:
        return f"{', '.join(programs)} not found: install slurm-wlm and munge"
    return None if os.geteuid() == 0 else "Slurm's daemons need root"


def find(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_ports(count):
    """Ports that nobody listens on. The system gives none below this range to those that ask for any port, so that they
    stay free until the daemons bind them, unless a program asks for one by its number: then Slurm begins again."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = []
    while len(ports) < count:
        port = random.randrange(10000, first)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


class Slurm:
    """As a context, it ends all that it has started."""

    def __init__(self, folder: Path, environment):
        self.folder = folder
        self.environment = environment | {"SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self):
        for attempts_left in (2, 1, 0):
            try:
                self.start()
                break
            except BaseException as error:
                self.__exit__()
                if not self.lost_a_port() or attempts_left == 0:
                    raise
                print(f"another program has taken a port: {error}")
                for name in self.folder.iterdir():
                    shutil.rmtree(name) if name.is_dir() else name.unlink()
        return self

    def lost_a_port(self):
        return any("already in use" in log.read_text(errors="replace") for log in self.folder.glob("*.log"))

    def start(self):
        for name in ["state"] + [f"spool.{node}" for node in NODES]:
            (self.folder / name).mkdir()
        ports = free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        text = CONFIGURATION.format(host=host, control=ports[0], folder=self.folder, nodes=",".join(NODES))
        for node, port in zip(NODES, ports[1:]):
            text += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN\n"
        (self.folder / "slurm.conf").write_text(text)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.call("munged", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                  f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                  f"--seed-file={self.folder}/munged.seed")
        self.call("slurmctld", "-c")
        for node in NODES:
            self.start_node(node)
        end = time.monotonic() + 60
        while self.call("sinfo", "-h", "-t", "idle", "-o", "%D").strip() != str(len(NODES)):
            if time.monotonic() > end:
                raise RuntimeError("the nodes do not come up:\n" + (self.folder / "slurmctld.log").read_text()[-3000:])
            time.sleep(0.2)

    def __exit__(self, *_):
        for name in [f"slurmd.{node}" for node in NODES] + ["slurmctld", "munged"]:
            self.end(name)

    def call(self, program, *words, check=True):
        answer = subprocess.run([find(program), *map(str, words)], env=self.environment, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, check=False)
        if check and answer.returncode != 0:
            raise RuntimeError(f"{program} {words}: {answer.returncode}\n{answer.stdout}{answer.stderr}")
        return answer.stdout

    def begin(self, program, *words):
        """Starts a program that the caller waits for."""
        return subprocess.Popen([find(program), *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL)

    def start_node(self, node):
        self.call("slurmd", "-N", node)

    def stop_node(self, node):
        self.end(f"slurmd.{node}")

    def end(self, name):
        """Ends the daemon with this file for its process, and waits for that."""
        try:
            pid = int((self.folder / f"{name}.pid").read_text())
            os.kill(pid, signal.SIGTERM)
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return
        for attempt in range(100):
            try:
                os.kill(pid, signal.SIGKILL if attempt == 99 else 0)
            except ProcessLookupError:
                return
            time.sleep(0.1)
