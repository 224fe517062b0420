"""Schemathesis hooks: credentials, and names and ids of existing objects, so that requests pass their look-ups."""

import json
import os
import re

import schemathesis

MODELS = json.loads(os.environ.get("FUZZ_MODELS", "[]"))
# The id of an existing object, by prefix of the path.
IDS = json.loads(os.environ.get("FUZZ_IDS", "{}"))
KEY = os.environ.get("FUZZ_KEY", "")
ADMIN_TOKEN = os.environ.get("FUZZ_ADMIN_TOKEN", "")

# By a part of the path: what the models that are served there have in their names. No more than a
# guess is needed.
KINDS = {
    "/videos/": r"t2v|i2v|r2v|video|seedance|happyhorse",
    "/images/": r"image|dall|delta|seedream",
    "/embeddings": r"embed|voyage",
    "/audio/": r"tts",
}

# What is accepted as it stands: half of the examples are this and a few generated fields, which so
# get past what the others are refused for.
GOOD = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "repeat 5 words"}]},
    "/v1/messages": {"messages": [{"role": "user", "content": "repeat 5 words"}], "max_tokens": 2000},
    "/v1/messages/count_tokens": {"messages": [{"role": "user", "content": "hello"}]},
    "/v1/embeddings": {"input": "word"},
    "/v1/audio/speech": {"input": "word"},
    "/v1/images/generations": {"prompt": "a cat", "input": {"messages": [{"role": "user", "content": [{"text": "a cat"}]}]}},
    "/v1/videos/generations": {"duration": 5, "resolution": "720p", "input": {"prompt": "x"}, "parameters": {}},
}


def models_for(path):
    for part, pattern in KINDS.items():
        if part in path:
            return [model for model in MODELS if re.search(pattern, model)]
    return [model for model in MODELS if not any(re.search(pattern, model) for pattern in KINDS.values())]


def size_of(value):
    """Derived from the content, so that a repeated example is changed in the same way."""
    return sum(json.dumps(value, default=str).encode())


@schemathesis.hook
def map_body(context, body):
    path = context.operation.path
    if not isinstance(body, dict):
        return body
    if isinstance(body.get("account_id"), str) and path.startswith("/admin/"):
        return {**body, "account_id": IDS.get("/admin/v1/accounts/", body["account_id"])}
    if not isinstance(body.get("model"), str):
        return body
    models = models_for(path)
    size = size_of(body)
    # One in eight keeps its own value.
    if not models or size % 8 == 0:
        return body
    body = {**body, "model": models[size % len(models)]}
    if size % 2 == 0 or path not in GOOD:
        return body
    good = {"model": body["model"], **GOOD[path]}
    others = sorted(name for name in body if name not in good)
    chosen = {others[(size + step) % len(others)] for step in range(min(3, len(others)))}
    return {**good, **{name: body[name] for name in chosen}}


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not isinstance(path_parameters, dict) or "id" not in path_parameters:
        return path_parameters
    path = context.operation.path
    known = next((known for start, known in IDS.items() if path.startswith(start)), None)
    if known is None or size_of(path_parameters) % 4 == 0:
        return path_parameters
    return {**path_parameters, "id": known}


@schemathesis.hook
def before_call(context, case, kwargs):
    token = ADMIN_TOKEN if case.operation.path.startswith("/admin/") else KEY
    case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
