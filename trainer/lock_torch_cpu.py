"""
Writes torch-cpu.txt: the CPU wheels of the pinned torch with the hashes that PyTorch's index publishes. Run by a
developer after torch was pinned anew, on a machine that reaches the index; the result is reviewed and committed.
"""

import argparse
import re
import urllib.parse
import urllib.request
from pathlib import Path

from environment import CPU_TORCH, HERE, TORCH_INDEX, entries_of

LONGEST_PAGE = 16 * 2**20
LINK = re.compile(r"href=\"([^\"<>#]{1,1000})#sha256=([0-9a-f]{64})\"")


def main():
    parser = argparse.ArgumentParser(description="Pins the hashes of torch's CPU wheels.")
    parser.add_argument("--torch-index", default=TORCH_INDEX)
    options = parser.parse_args()
    version = pinned_version()
    hashes = hashes_of(version, options.torch_index)
    if not hashes:
        raise SystemExit(f"{options.torch_index} lists no CPU wheel of torch {version} with a hash")
    write(version, hashes)
    print(f"torch {version}+cpu: {len(hashes)} wheels")


def pinned_version():
    entries = entries_of((HERE / "requirements.txt").read_text(encoding="utf-8"))
    return next(entry for entry in entries if entry.startswith("torch==")).split()[0].removeprefix("torch==")


def hashes_of(version, index):
    with urllib.request.urlopen(index.rstrip("/") + "/torch/", timeout=30) as answer:
        page = answer.read(LONGEST_PAGE).decode()
    links = ((urllib.parse.unquote(Path(link).name), digest) for link, digest in LINK.findall(page))
    return sorted({digest for name, digest in links if name.startswith(f"torch-{version}+cpu-")})


def write(version, hashes):
    comments = [line for line in CPU_TORCH.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = [f"torch=={version}+cpu", *(f"    --hash=sha256:{digest}" for digest in hashes)]
    CPU_TORCH.write_text("\n".join(comments) + "\n" + " \\\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
