"""The program under test."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = pathlib.Path(os.environ.get("WEIR", ROOT / "build" / "weir")).resolve()
# How many times as long as usual it takes, as a sanitizer makes it.
PATIENCE = int(os.environ.get("WEIR_PATIENCE", "1"))
# Seconds that one of its commands may take.
LONGEST = 120 * PATIENCE
