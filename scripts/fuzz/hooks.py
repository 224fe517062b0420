"""Schemathesis hooks: who asks, and names and ids of things that exist, so that requests get past their look-up."""

import json
import os
import re

import schemathesis

MODELS = json.loads(os.environ.get("FUZZ_MODELS", "[]"))
# By the beginning of the path: the id of something there.
IDS = json.loads(os.environ.get("FUZZ_IDS", "{}"))
KEY = os.environ.get("FUZZ_KEY", "")
ADMIN_TOKEN = os.environ.get("FUZZ_ADMIN_TOKEN", "")

# By a part of the path: what the models that are served there have in their names. No more than a guess is needed.
KINDS = {
    "/videos/": r"t2v|i2v|r2v|video|seedance|happyhorse",
    "/images/": r"image|dall|delta|seedream",
    "/embeddings": r"embed|voyage",
    "/audio/": r"tts",
}


def models_for(path):
    for part, pattern in KINDS.items():
        if part in path:
            return [model for model in MODELS if re.search(pattern, model)]
    return [model for model in MODELS if not any(re.search(pattern, model) for pattern in KINDS.values())]


def size_of(value):
    """By the content: the same example is changed in the same way when it is tried again."""
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
    # One in eight keeps its own.
    if not models or size % 8 == 0:
        return body
    return {**body, "model": models[size % len(models)]}


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
