"""A plain LangChain pipeline over an evaluation folder: recursive splitter, MiniLM, FAISS, the best six.

Usage: langchain.py <folder with documents/ and questions.jsonl> <folder of all-MiniLM-L6-v2> <output.json>
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from tokenizers import Tokenizer

TOP = 6


class MiniLm(Embeddings):
    """The same weights that the platform uses, as sentence-transformers runs them: mean of the tokens, length 1."""

    def __init__(self, folder: Path):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = folder / "onnx" / "model_quantized.onnx"
        self.session = onnxruntime.InferenceSession(str(path), options)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = []
        for start in range(0, len(texts), 16):
            batch = self.tokenizer.encode_batch(texts[start : start + 16])
            ids = np.array([one.ids for one in batch], dtype=np.int64)
            mask = np.array([one.attention_mask for one in batch], dtype=np.int64)
            feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = self.session.run(None, feeds)[0]
            mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            vectors.extend((mean / np.linalg.norm(mean, axis=1, keepdims=True)).tolist())
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def main() -> None:
    folder, model, output = (Path(argument) for argument in sys.argv[1:4])
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    documents = [
        Document(page_content=path.read_text(encoding="utf-8"), metadata={"document": path.name})
        for path in sorted((folder / "documents").iterdir())
    ]
    store = FAISS.from_documents(splitter.split_documents(documents), MiniLm(model))
    found = {}
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        question = json.loads(line)
        found[question["id"]] = [
            {
                "document": hit.metadata["document"],
                "start": hit.metadata["start_index"],
                "end": hit.metadata["start_index"] + len(hit.page_content),
            }
            for hit in store.similarity_search(question["question"], k=TOP)
        ]
    output.write_text(json.dumps(found), encoding="utf-8")


main()
