"""Uses OpenAI's own client against the address given, and prints what it got as JSON."""

import io
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="dummy", max_retries=0)
messages = [{"role": "user", "content": "Hi"}]
result = {}

result["answer"] = client.chat.completions.create(model="mock", messages=messages).choices[0].message.content

streamed = client.chat.completions.create(
    model="mock", messages=messages, stream=True, stream_options={"include_usage": True}
)
result["streamed"] = ""
for chunk in streamed:
    if chunk.choices:
        result["streamed"] += chunk.choices[0].delta.content or ""
    if chunk.usage:
        result["usage"] = chunk.usage.total_tokens

tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
called = client.chat.completions.create(model="mock", messages=messages, tools=tools, tool_choice="auto")
result["tool"] = called.choices[0].message.tool_calls[0].function.name

result["embedding"] = client.embeddings.create(model="emb", input="x").data[0].embedding
result["speech"] = list(client.audio.speech.create(model="voice", input="hi", voice="alloy").content)
audio = io.BytesIO(b"a" * 100_000)
audio.name = "speech.wav"
result["transcription"] = client.audio.transcriptions.create(model="whisper", file=audio).text
result["models"] = [model.id for model in client.models.list().data]

try:
    client.chat.completions.create(model="nobody", messages=messages)
except openai.NotFoundError as error:
    result["unknown"] = error.code

try:
    broken = [{"role": "user", "content": "break off"}]
    for chunk in client.chat.completions.create(model="mock", messages=broken, stream=True):
        pass
except openai.APIError as error:
    result["broken"] = type(error).__name__

print(json.dumps(result))
