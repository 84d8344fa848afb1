"""Produces the same output as the real one, and reports that everything is installed."""

import json
import sys
from pathlib import Path

broken = Path(sys.argv[sys.argv.index("--root") + 1]) / "broken"
if broken.exists():
    print(json.dumps({"event": "error", "code": "packages_unavailable", "message": broken.read_text()}))
    sys.exit(2)
print(json.dumps({"event": "stage", "stage": "environment", "message": "Installing torch"}))
print(json.dumps({"event": "environment", "python": sys.executable, "variant": "cpu", "made": False}))
