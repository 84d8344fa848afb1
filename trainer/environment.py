"""
Creates the trainer's Python environment unless it exists. Uses only the standard library, because it runs before
anything is installed. Prints JSON lines, the last one with the environment's Python; see README.md.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None

HERE = Path(__file__).resolve().parent
CPU_TORCH = HERE / "torch-cpu.txt"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
# Packages that are only needed with a GPU; the CPU build of torch does not use them.
GPU_ONLY = ("torch", "triton", "nvidia-", "cuda-")
NEEDED = {"cpu": 2_500_000_000, "plain": 7_000_000_000}


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Creates the trainer's Python environment.")
    parser.add_argument("--root", type=Path, required=True, help="folder for the environments")
    parser.add_argument("--torch-index", default=TORCH_INDEX, help="package index of the CPU build of torch, or none")
    parser.add_argument("--dev", action="store_true", help="also install the packages for the tests")
    parser.add_argument("--find", action="store_true", help="only check whether it exists; install nothing")
    options = parser.parse_args()
    try:
        python, variant, made = make(options.root.expanduser(), options.torch_index, options.dev, options.find)
    except Refusal as refusal:
        say("error", code=refusal.code, message=str(refusal))
        return 2
    say("environment", python=str(python), variant=variant, made=made)
    return 0


def make(root, torch_index, dev, only_find):
    if sys.version_info < (3, 11):  # noqa: UP036 -- checked here, because this file runs under any installed Python
        raise Refusal("python_too_old", f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    locked = "requirements-dev.txt" if dev else "requirements.txt"
    pinned = (HERE / locked).read_text(encoding="utf-8")
    # The environment with the test packages contains all others too.
    found = find(root, pinned) or find(root, (HERE / "requirements-dev.txt").read_text(encoding="utf-8"))
    if found:
        return *found, False
    if only_find:
        raise Refusal("not_made", "The training packages are not installed yet.")
    root.mkdir(parents=True, exist_ok=True)
    with installation_lock(root):
        # Another process may have created it while this one waited.
        found = find(root, pinned)
        if found:
            return *found, False
        wants_cpu = torch_index != "none" and not has_gpu()
        variant = "cpu" if wants_cpu and cpu_torch(pinned) and reachable(torch_index) else "plain"
        folder = place(root, pinned, variant)
        if shutil.disk_usage(root).free < NEEDED[variant]:
            raise Refusal("no_space", f"The training packages need {NEEDED[variant] / 1e9:.1f} GB of disk space.")
        say("stage", stage="environment", message=f"Installing the training packages ({variant}) into {folder.name}")
        shutil.rmtree(folder, ignore_errors=True)
        install(folder, pinned, variant, torch_index)
        (folder / "complete").write_text(variant, encoding="utf-8")
        return python_of(folder), variant, True


def find(root, pinned):
    """Looks for both variants before any network access, so that an existing environment works offline."""
    for variant in ("cpu", "plain"):
        folder = place(root, pinned, variant)
        if (folder / "complete").is_file():
            return python_of(folder), variant
    return None


@contextlib.contextmanager
def installation_lock(root):
    """Lets one process at a time create environments; the lock is released when its holder dies."""
    with (root / ".trainer-lock").open("w") as file:
        if fcntl:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                say("stage", stage="environment", message="Waiting for another installation of the training packages")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def place(root, pinned, variant):
    marks = f"{pinned}\n{variant}\n{sys.version_info[:2]}"
    if variant == "cpu":
        marks += f"\n{cpu_torch(pinned)}"
    return root / f"trainer-{hashlib.sha256(marks.encode()).hexdigest()[:12]}"


def python_of(folder):
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(folder, pinned, variant, torch_index):
    start = installer(folder)
    wanted = folder / "requirements.txt"
    if variant == "plain":
        wanted.write_text(pinned, encoding="utf-8")
        run([*start, "--require-hashes", "--no-deps", "-r", str(wanted)])
        return
    torch = folder / "torch-cpu.txt"
    torch.write_text(cpu_torch(pinned), encoding="utf-8")
    run([*start, "--require-hashes", "--no-deps", "--index-url", torch_index, "-r", str(torch)])
    others = [entry for entry in entries_of(pinned) if not entry.startswith(GPU_ONLY)]
    wanted.write_text("".join(others), encoding="utf-8")
    run([*start, "--require-hashes", "--no-deps", "-r", str(wanted)])


def cpu_torch(pinned):
    """
    The CPU build of the pinned torch with its hashes, as lock_torch_cpu.py wrote it. None where the file has none for
    this version: then torch is installed as it is pinned, since nothing is installed without a hash.
    """
    version = next(entry for entry in entries_of(pinned) if entry.startswith("torch==")).split()[0]
    entries = entries_of(CPU_TORCH.read_text(encoding="utf-8")) if CPU_TORCH.is_file() else []
    with_hashes = (entry for entry in entries if "--hash=sha256:" in entry)
    return next((entry for entry in with_hashes if entry.split()[0] == f"{version}+cpu"), None)


def installer(folder):
    """Creates an empty environment and returns the install command: uv if available, which is several times faster."""
    uv = shutil.which("uv")
    if uv:
        run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        return [uv, "pip", "install", "--quiet", "--python", str(python_of(folder))]
    run([sys.executable, "-m", "venv", str(folder)])
    pip = [str(python_of(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with contextlib.suppress(Refusal):
        run([*pip, "--require-hashes", "--only-binary=:all:", "-r", str(HERE / "uv.txt")])
        own = python_of(folder).with_name("uv")
        return [str(own), "pip", "install", "--quiet", "--python", str(python_of(folder))]
    return pip


def entries_of(pinned):
    """Splits into requirements, each with the hashes on the indented lines after it."""
    entries = []
    for line in pinned.splitlines(keepends=True):
        if line.startswith((" ", "\t")) and entries:
            entries[-1] += line
        elif line.strip() and not line.startswith("#"):
            entries.append(line)
    return entries


def run(command):
    done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        # The address of an index may contain a password.
        output = re.sub(r"(?<=://)[^/@\s]+@", "", done.stderr)
        sys.stderr.write(output)
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if re.match(r"error|×|.*hash mismatch", line, re.IGNORECASE)]
        shown = list(dict.fromkeys([*errors[:2], *lines[-1:]]))
        raise Refusal("packages_unavailable", f"The training packages could not be installed: {'; '.join(shown)[:400]}")


def has_gpu():
    return (
        shutil.which("nvidia-smi") is not None
        and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    )


def reachable(index):
    try:
        request = urllib.request.Request(index.rstrip("/") + "/torch/", method="HEAD")
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status == 200
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(main())
