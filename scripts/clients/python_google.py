"""Runs Google's Python SDK against a running gateway: python_google.py RUN_JSON"""

import json
import sys

from google import genai
from google.genai import errors, types

# A model of each provider.
MODELS = ["gemini-2.5-flash", "gemini-3-flash-preview", "claude-sonnet-4-6", "gpt-4o-mini", "qwen-plus", "grok-4.5"]
# An embedding model of each provider, and the size of its vectors.
EMBEDDING_MODELS = {
    "gemini-embedding-001": 3072,
    "text-embedding-3-small": 1536,
    "text-embedding-v4": 1024,
    "voyage-4-lite": 1024,
}
CALLS = 'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}'

run = json.load(open(sys.argv[1]))


def client_of(key):
    return genai.Client(api_key=key, http_options={"base_url": run["base_url"]})


google = client_of(run["api_key"])
unknown = client_of("sk-wrong")


def get_weather(city: str) -> str:
    """Shows the weather in a city."""
    asked.append(city)
    return "sunny"


asked = []


def generates(model):
    whole = google.models.generate_content(model=model, contents="say: hi")
    assert whole.text == "hi" and whole.usage_metadata.prompt_token_count > 0, whole
    stream = google.models.generate_content_stream(model=model, contents="repeat 9 words")
    text = "".join(chunk.text or "" for chunk in stream)
    assert len(text.split()) == 9, text
    chat = google.chats.create(model=model)
    assert chat.send_message("say: first").text == "first"
    assert "".join(chunk.text or "" for chunk in chat.send_message_stream("say: second")) == "second"
    assert google.models.count_tokens(model=model, contents="hello world").total_tokens > 0


def calls_tools(model):
    """The SDK calls the function itself, and sends its results back."""
    asked.clear()
    config = types.GenerateContentConfig(tools=[get_weather])
    answer = google.models.generate_content(model=model, contents=CALLS, config=config)
    assert asked == ["Oslo", "Rome"], asked
    assert answer.candidates[0].finish_reason == types.FinishReason.STOP and not answer.function_calls, answer


def embeds(model, size):
    texts = ["A boat on a lake", "A ship at sea"]
    vectors = google.models.embed_content(model=model, contents=texts).embeddings
    assert [len(vector.values) for vector in vectors] == [size, size], vectors
    config = types.EmbedContentConfig(task_type="RETRIEVAL_DOCUMENT", title="Boats", output_dimensionality=256)
    (shorter,) = google.models.embed_content(model=model, contents=texts[0], config=config).embeddings
    assert len(shorter.values) == 256, shorter


def refused(code, call):
    try:
        call()
    except errors.APIError as error:
        assert error.code == code, error
        return
    raise AssertionError(f"no error {code} was raised")


for name in MODELS:
    generates(name)
    calls_tools(name)
for name, size in EMBEDDING_MODELS.items():
    embeds(name, size)
listed = {model.name for model in google.models.list()}
assert {f"models/{name}" for name in [*MODELS, *EMBEDDING_MODELS]} <= listed, listed
assert google.models.get(model="voyage-4").supported_actions == ["embedContent", "batchEmbedContents"]
refused(401, lambda: unknown.models.generate_content(model="gpt-4o-mini", contents="x"))
refused(400, lambda: google.models.generate_content(model="no-such-model", contents="x"))
too_long = types.EmbedContentConfig(output_dimensionality=9999)
refused(400, lambda: google.models.embed_content(model="voyage-4-lite", contents="x", config=too_long))
print(f"google-genai {genai.__version__} for Python: all calls as expected")
