"""Reads PDF files with unstructured: a request per line on stdin, an answer per line on stdout, both in JSON."""

import json
import sys
import time
import warnings
from importlib.metadata import version

import spacy
from spacy.language import Language
from unstructured.nlp import tokenize
from unstructured.partition.pdf import partition_pdf

warnings.filterwarnings("ignore")
answers = sys.stdout
sys.stdout = sys.stderr

VERBS = set("is are was were be been has have had may must can will would do does did shall".split())


@Language.component("verbs")
def tag_verbs(doc):
    """Tags what is likely to be a verb, the only tag that unstructured looks at."""
    for token in doc:
        word = token.lower_
        token.tag_ = "VBD" if word in VERBS or (len(word) > 4 and word.endswith("ed")) else "NN"
    return doc


def load_language():
    """Whether spaCy's model is there. It comes from a host that may be unreachable; rules replace it then."""
    try:
        tokenize._get_nlp()
        return True
    except Exception:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("verbs")
        tokenize._get_nlp = lambda: nlp
        return False


def read(path, strategy, languages):
    """The elements of a file, and the seconds it took to read them."""
    begun = time.perf_counter()
    found = partition_pdf(path, strategy=strategy, languages=languages)
    seconds = time.perf_counter() - begun
    # It hides errors of text extraction, and answers with nothing.
    if not found:
        raise RuntimeError("nothing was found")
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


answer({"version": version("unstructured"), "model": load_language()})
for line in sys.stdin:
    try:
        answer(read(**json.loads(line)))
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"})
