"""Runs the media calls of OpenAI's official Python SDK against a running gateway: python_media.py RUN_JSON OUT_DIR"""

import base64
import io
import json
import math
import os
import struct
import sys
import urllib.request
import wave

import openai

run = json.load(open(sys.argv[1]))
out = sys.argv[2]
gpt = openai.OpenAI(api_key=run["api_key"], base_url=run["base_url"] + "/v1", max_retries=0)
FAMILIES = {"text-embedding-v4": 256, "text-embedding-004": 99, "voyage-3.5": 512, "text-embedding-3-small": 100}
ALPHA = {"messages": [{"role": "user", "content": [{"text": "a cat"}]}]}


def size_of(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n", png[:8]
    return struct.unpack(">II", png[16:24])


def draw(**more):
    image = gpt.images.generate(**{"model": "gamma-image-2", "prompt": "a cat", "size": "1024x1024", **more})
    return base64.b64decode(image.data[0].b64_json)


def part(name, content):
    return (name, io.BytesIO(content), "image/png")


def generate():
    assert size_of(draw(size="1536x864")) == (1536, 864)
    assert draw(output_format="webp")[8:12] == b"WEBP"
    for model in ["delta-2", "seedream-4-0", "grok-imagine-image", "gemini-2.5-flash-image"]:
        linked = gpt.images.generate(model=model, prompt="a cat").data[0].url
        assert urllib.request.urlopen(linked).status == 200
    hosted = gpt.images.generate(model="gamma-image-1", prompt="a cat", response_format="url").data[0].url
    assert hosted.startswith(run["base_url"] + "/assets/")
    assert size_of(urllib.request.urlopen(hosted).read()) == (1024, 1024)
    events = list(gpt.images.generate(model="gamma-image-1", prompt="a cat", stream=True, partial_images=1))
    assert [event.type.split(".")[-1] for event in events] == ["partial_image", "completed"]
    alpha = gpt.post("/images/generations", body={"model": "alpha-image-2.0", "input": ALPHA}, cast_to=object)
    assert urllib.request.urlopen(alpha["output"]["choices"][0]["message"]["content"][0]["image"]).status == 200


def edit():
    png, mask = draw(model="gamma-image-1"), draw(model="gamma-image-1", background="transparent")
    masked = gpt.images.edit(model="gamma-image-2", image=part("cat.png", png), mask=part("mask.png", mask), prompt="a hat")
    assert masked.usage.input_tokens_details.image_tokens > 0
    assert (masked.background, masked.output_format) == ("opaque", "png"), masked
    files = [part("cat.png", png), part("dog.png", png), part("bird.png", png)]
    assert len(gpt.images.edit(model="gamma-image-1", image=files, prompt="together", n=2).data) == 2
    url = gpt.images.edit(model="delta-2", image=part("cat.png", png), prompt="x", size="256x256", response_format="url")
    assert size_of(urllib.request.urlopen(url.data[0].url).read()) == (256, 256)
    try:
        gpt.images.edit(model="gamma-image-1", image=part("cat.png", png), mask=part("mask.png", png), prompt="x")
    except openai.BadRequestError as error:
        assert error.code == "invalid_mask", error
        return
    raise AssertionError("a mask without transparency was accepted")


def embed():
    for model, size in FAMILIES.items():
        texts = ["first", "second", "第三"]
        short = gpt.embeddings.create(model=model, input=texts, dimensions=size)
        plain = gpt.embeddings.create(model=model, input=texts, dimensions=size, encoding_format="float")
        for index, item in enumerate(short.data):
            assert item.index == index and len(item.embedding) == size
            assert abs(math.hypot(*item.embedding) - 1) < 1e-5
            packed = struct.pack(f"<{size}f", *plain.data[index].embedding)
            assert packed == struct.pack(f"<{size}f", *item.embedding)
    many = gpt.embeddings.create(model="text-embedding-v4", input=["word"] * 2048)
    assert len(many.data) == 2048 and len(many.data[0].embedding) == 1024


def moderate():
    texts = gpt.moderations.create(input=["I will find you and hurt you.", "A boat on a lake"])
    assert [result.flagged for result in texts.results] == [True, False], texts
    image = {"type": "image_url", "image_url": {"url": "https://example.com/boat.png"}}
    both = gpt.moderations.create(model="omni-moderation-2024-09-26", input=[{"type": "text", "text": "A boat"}, image])
    [result] = both.results
    assert result.category_applied_input_types.violence == ["text", "image"], result
    try:
        gpt.moderations.create(input=[image, image])
        raise AssertionError("two images are refused")
    except openai.BadRequestError as error:
        assert error.code == "too_many_images", error


def speak():
    text = "The gateway reads this aloud. 你好，世界！" * 30
    with gpt.audio.speech.with_streaming_response.create(
        model="alpha3-tts-flash", voice="alloy", input=text, speed=2
    ) as response:
        response.stream_to_file(os.path.join(out, "speech.mp3"))
    wav = gpt.audio.speech.create(
        model="alpha3-tts-instruct-flash", voice="Cherry", input=text, instructions="Slowly, and with joy."
    )
    wav.write_to_file(os.path.join(out, "speech.wav"))
    with wave.open(os.path.join(out, "speech.wav")) as sound:
        seconds = sound.getnframes() / sound.getframerate()
    assert int(wav.response.headers["content-length"]) == os.path.getsize(os.path.join(out, "speech.wav"))
    assert 10 < seconds < 600 and float(wav.response.headers["x-gateway-cost-usd"]) > 0, seconds


def store():
    content = b'{"line": 1}\n' * 300_000
    file = gpt.files.create(
        file=("lines.jsonl", content), purpose="user_data", expires_after={"anchor": "created_at", "seconds": 3600}
    )
    assert (file.bytes, file.expires_at - file.created_at) == (len(content), 3600), file
    assert gpt.files.content(file.id).read() == content
    assert file.id in [one.id for one in gpt.files.list(purpose="user_data", limit=1)]
    assert gpt.files.delete(file.id).deleted
    try:
        gpt.files.retrieve(file.id)
        raise AssertionError("a deleted file does not exist")
    except openai.NotFoundError as error:
        assert error.code == "not_found", error


for call in [generate, edit, embed, moderate, speak, store]:
    call()
    print(f"  {call.__name__}")
print(f"openai {openai.__version__} for Python: all media calls as expected")
