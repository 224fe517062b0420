"""Runs the official Python SDKs of OpenAI and Anthropic against a running gateway: python_sdks.py RUN_JSON"""

import json
import sys

import anthropic
import openai
import pydantic

# A model of each provider; whether it accepts images and PDFs.
MODELS = {
    "gpt-4o-mini": (True, True),
    "claude-sonnet-4-6": (True, True),
    "gemini-2.5-flash": (True, True),
    "qwen3.8-flash": (True, False),
    "grok-4.7": (True, False),
    "deepseek-flash": (False, False),
}
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALLS = 'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}'
CITIES = [{"city": "Oslo"}, {"city": "Rome"}]
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PDF = "JVBERi0xLjQKJSVFT0YK"


class Person(pydantic.BaseModel):
    name: str
    age: int


run = json.load(open(sys.argv[1]))
gpt = openai.OpenAI(api_key=run["api_key"], base_url=run["base_url"] + "/v1", max_retries=0)
claude = anthropic.Anthropic(auth_token=run["api_key"], api_key=None, base_url=run["base_url"], max_retries=0)


def user(content):
    return [{"role": "user", "content": content}]


def with_openai(model):
    whole = gpt.chat.completions.create(model=model, messages=user("say: hi"))
    assert whole.choices[0].message.content == "hi", whole
    stream = gpt.chat.completions.create(model=model, stream=True, messages=user("repeat 9 words"))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert len(text.split()) == 9, text
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}]
    with gpt.chat.completions.stream(model=model, messages=user(CALLS), tools=tools) as events:
        called = events.get_final_completion().choices[0].message
    assert [json.loads(call.function.arguments) for call in called.tool_calls] == CITIES, called
    results = [{"role": "tool", "tool_call_id": call.id, "content": "sunny"} for call in called.tool_calls]
    turn = called.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
    went_on = gpt.chat.completions.create(model=model, messages=[*user(CALLS), turn, *results], tools=tools)
    assert went_on.choices[0].finish_reason == "stop", went_on
    shaped = gpt.chat.completions.parse(model=model, messages=user("A person, as JSON."), response_format=Person)
    assert isinstance(shaped.choices[0].message.parsed, Person), shaped


def with_anthropic(model):
    message = claude.messages.create(model=model, max_tokens=2000, messages=user("say: hi"))
    assert any(block.type == "text" and block.text == "hi" for block in message.content), message
    with claude.messages.stream(model=model, max_tokens=2000, messages=user("repeat 9 words")) as events:
        assert len("".join(events.text_stream).split()) == 9
    asked = {"model": model, "max_tokens": 2000, "tools": [{"name": "get_weather", "input_schema": WEATHER}]}
    with claude.messages.stream(**asked, messages=user(CALLS)) as events:
        used = events.get_final_message()
    calls = [block for block in used.content if block.type == "tool_use"]
    assert used.stop_reason == "tool_use" and [call.input for call in calls] == CITIES, used
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]
    turns = [*user(CALLS), {"role": "assistant", "content": used.content}, *user(results)]
    assert claude.messages.create(**asked, messages=turns).stop_reason == "end_turn"
    shaped = claude.messages.parse(
        model=model, max_tokens=2000, messages=user("A person, as JSON."), output_format=Person
    )
    assert isinstance(shaped.parsed_output, Person), shaped
    assert claude.messages.count_tokens(model=model, messages=user("hello")).input_tokens > 0


def said(message):
    return "".join(block.text for block in message.content if block.type == "text")


def pictures(model):
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    text = {"type": "text", "text": "say: seen"}
    assert gpt.chat.completions.create(model=model, messages=user([text, url])).choices[0].message.content == "seen"
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    image = {"type": "image", "source": source}
    assert said(claude.messages.create(model=model, max_tokens=2000, messages=user([image, text]))) == "seen"


def documents(model):
    text = {"type": "text", "text": "say: read"}
    file = {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}
    answer = gpt.chat.completions.create(model=model, messages=user([text, {"type": "file", "file": file}]))
    assert answer.choices[0].message.content == "read", answer
    source = {"type": "base64", "media_type": "application/pdf", "data": PDF}
    document = {"type": "document", "source": source}
    assert said(claude.messages.create(model=model, max_tokens=2000, messages=user([document, text]))) == "read"


def left_early(model):
    """A stream is closed when the client stops reading, and the client can be used again."""
    stream = gpt.chat.completions.create(model=model, stream=True, messages=user("repeat 2000 words"))
    next(iter(stream))
    stream.close()
    with claude.messages.stream(model=model, max_tokens=4000, messages=user("repeat 2000 words")) as events:
        next(iter(events))
    assert gpt.chat.completions.create(model=model, messages=user("say: hi")).choices[0].message.content == "hi"


def refused(wanted, call):
    try:
        call()
    except wanted:
        return
    raise AssertionError(f"{wanted.__name__} was not raised")


def errors():
    for wrong in [{"model": "no-such-model"}, {"temperature": 9}]:
        asked = {"model": "gpt-4o-mini", "messages": user("x"), **wrong}
        refused(openai.BadRequestError, lambda asked=asked: gpt.chat.completions.create(**asked))
    for wrong in [{"model": "no-such-model"}, {"max_tokens": 0}]:
        asked = {"model": "gpt-4o-mini", "max_tokens": 5, "messages": user("x"), **wrong}
        refused(anthropic.BadRequestError, lambda asked=asked: claude.messages.create(**asked))
    refused(openai.AuthenticationError, lambda: gpt.with_options(api_key="sk-wrong").models.list())
    refused(anthropic.AuthenticationError, lambda: claude.with_options(auth_token="sk-wrong").models.list())
    refused(openai.NotFoundError, lambda: gpt.models.retrieve("no-such-model"))
    refused(anthropic.NotFoundError, lambda: claude.models.retrieve("no-such-model"))
    assert gpt.models.retrieve("gpt-4o-mini").id == claude.models.retrieve("gpt-4o-mini").id


for name, (sees, reads) in MODELS.items():
    with_openai(name)
    with_anthropic(name)
    if sees:
        pictures(name)
    if reads:
        documents(name)
    left_early(name)
    print(f"  {name}: both formats")
errors()
print(f"openai {openai.__version__} and anthropic {anthropic.__version__} for Python: all calls as expected")
