"""Runs the official Python SDKs of OpenAI and Anthropic against a running gateway: python_sdks.py RUN_JSON"""

import json
import sys

import anthropic
import openai

MODELS = ["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash", "qwen-plus", "grok-4.5"]
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALLS = 'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}'

run = json.load(open(sys.argv[1]))
gpt = openai.OpenAI(api_key=run["api_key"], base_url=run["base_url"] + "/v1", max_retries=0)
claude = anthropic.Anthropic(auth_token=run["api_key"], api_key=None, base_url=run["base_url"], max_retries=0)


def user(text):
    return [{"role": "user", "content": text}]


def through_both_doors(model):
    whole = gpt.chat.completions.create(model=model, messages=user("say: hi"))
    assert whole.choices[0].message.content == "hi", whole
    stream = gpt.chat.completions.create(model=model, stream=True, messages=user("repeat 9 words"))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert len(text.split()) == 9, text
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}]
    called = gpt.chat.completions.create(model=model, messages=user(CALLS), tools=tools)
    assert len(called.choices[0].message.tool_calls) == 2, called

    message = claude.messages.create(model=model, max_tokens=2000, messages=user("say: hi"))
    assert any(block.type == "text" and block.text == "hi" for block in message.content), message
    with claude.messages.stream(model=model, max_tokens=2000, messages=user("repeat 9 words")) as events:
        assert len("".join(events.text_stream).split()) == 9
    tools = [{"name": "get_weather", "input_schema": WEATHER}]
    used = claude.messages.create(model=model, max_tokens=2000, messages=user(CALLS), tools=tools)
    assert used.stop_reason == "tool_use", used
    assert claude.messages.count_tokens(model=model, messages=user("hello")).input_tokens > 0


def errors():
    for wrong in [{"model": "no-such-model"}, {"temperature": 9}]:
        try:
            gpt.chat.completions.create(**{"model": "gpt-4o-mini", "messages": user("x"), **wrong})
        except openai.BadRequestError:
            continue
        raise AssertionError(f"{wrong} was accepted")
    try:
        gpt.with_options(api_key="sk-wrong").models.list()
    except openai.AuthenticationError:
        return
    raise AssertionError("a wrong key was accepted")


for name in MODELS:
    through_both_doors(name)
    print(f"  {name}: both doors")
errors()
print(f"openai {openai.__version__} and anthropic {anthropic.__version__} for Python: all calls as expected")
