"""Reads a file with Unstructured's client and with LangChain's loader, and prints what they got as JSON."""

import json
import sys

from langchain_unstructured import UnstructuredLoader
from unstructured_client import UnstructuredClient
from unstructured_client.models import errors, operations, shared

url, key, path = sys.argv[1:]


def partition(api_key):
    client = UnstructuredClient(api_key_auth=api_key, server_url=url)
    with open(path, "rb") as file:
        files = shared.Files(content=file.read(), file_name=path.split("/")[-1])
    parameters = shared.PartitionParameters(files=files, strategy="auto", languages=["rus", "eng"])
    request = operations.PartitionRequest(partition_parameters=parameters)
    return client.general.partition(request=request).elements


elements = partition(key)
try:
    partition("rh-wrong")
    refused = None
except errors.SDKError as error:
    refused = error.status_code

loader = UnstructuredLoader(
    file_path=path, api_key=key, url=url, partition_via_api=True, chunking_strategy="by_title"
)
documents = loader.load()
print(
    json.dumps(
        {
            "elements": [[element["type"], element["text"]] for element in elements],
            "refused": refused,
            "documents": [[one.metadata["category"], one.page_content] for one in documents],
        }
    )
)
