"""Schemathesis hooks: names of models that exist, so that requests get past the look-up of the model."""

import json
import os
import re

import schemathesis

MODELS = json.loads(os.environ.get("FUZZ_MODELS", "[]"))

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


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        return body
    models = models_for(context.operation.path)
    # By the body's own content: the same example names the same model when it is tried again. One in eight keeps its own.
    size = sum(json.dumps(body, default=str).encode())
    if not models or size % 8 == 0:
        return body
    return {**body, "model": models[size % len(models)]}
