"""Reads PDF files with unstructured: a request per line on stdin, an answer per line on stdout, both in JSON."""

import json
import sys
import time
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
answers = sys.stdout
sys.stdout = sys.stderr

from unstructured.partition.pdf import partition_pdf  # noqa: E402


def read(path, strategy, languages):
    """The elements of a file, and the seconds it took to read them."""
    begun = time.perf_counter()
    found = partition_pdf(path, strategy=strategy, languages=languages)
    seconds = time.perf_counter() - begun
    elements = [
        {
            "kind": element.category,
            "text": element.text,
            "depth": element.metadata.category_depth,
            "page": element.metadata.page_number,
        }
        for element in found
    ]
    return {"elements": elements, "seconds": seconds}


def answer(value):
    """Writes a line."""
    answers.write(json.dumps(value) + "\n")
    answers.flush()


answer({"version": version("unstructured")})
for line in sys.stdin:
    try:
        answer(read(**json.loads(line)))
    except Exception as error:  # noqa: BLE001
        answer({"error": f"{type(error).__name__}: {error}"})
