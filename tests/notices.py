"""Prints the licences of everything that is compiled into both programs, each text once.

    python3 tests/notices.py > THIRD-PARTY.txt

Fails if one of them brings no text of its licence.
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("licen", "copying", "notice", "copyright", "unlicense")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def texts(folder):
    """The licences in a package, and in the C sources that it brings."""
    found = [path for path in Path(folder).rglob("*") if path.name.lower().startswith(NAMES)]
    return [path for path in sorted(found) if path.is_file() and path.suffix not in (".rs", ".html", ".json")]


metadata = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1"))
packages = {f"{it['name']} v{it['version']}": it for it in metadata["packages"] if it["source"]}
tree = ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"]
tree += sys.argv[1:]
used = set(run(*tree, "--package", "fibfob-server", "--package", "fibfob").splitlines())
used = sorted(name for name in (line.removesuffix(" (*)").removesuffix(" (proc-macro)") for line in used) if name in packages)
by_text, without = {}, []
for name in used:
    package = packages[name]
    found = texts(Path(package["manifest_path"]).parent)
    for path in found:
        by_text.setdefault(path.read_text(errors="replace").strip(), []).append(name)
    if not found:
        without.append(f"{name} ({package['license']})")
if without:
    sys.exit(f"without a text of their licence: {', '.join(without)}")
sysroot = Path(run("rustc", "--print", "sysroot").strip())
for path in texts(sysroot / "share/doc"):
    by_text.setdefault(path.read_text(errors="replace").strip(), []).append("Rust's standard library")
print(f"Fib Fob contains these {len(used)} packages, Rust's standard library, and SQLite (public domain).\n")
for name in used:
    print(f"{name}: {packages[name]['license']}")
for text, names in by_text.items():
    print(f"\n{'=' * 80}\n{', '.join(sorted(set(names)))}\n{'-' * 80}\n{text}")
