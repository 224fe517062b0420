"""Calls every model with the Python SDKs, with and without streaming and tools, and prints a line of
JSON for each call: matrix.py RUN_JSON MODEL..."""

import itertools
import json
import sys

import anthropic
import openai

run = json.load(open(sys.argv[1]))
gpt = openai.OpenAI(api_key=run["api_key"], base_url=run["base_url"] + "/v1", max_retries=0)
claude = anthropic.Anthropic(auth_token=run["api_key"], api_key=None, base_url=run["base_url"], max_retries=0)
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
NAMED = {"name": "get_weather", "description": "The weather of a city."}


def openai_chat(model, prompt, stream, tools):
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    if tools:
        body["tools"] = [{"type": "function", "function": {**NAMED, "parameters": PARAMETERS}}]
    if stream:
        with gpt.chat.completions.stream(**body) as events:
            completion = events.get_final_completion()
    else:
        completion = gpt.chat.completions.create(**body)
    message = completion.choices[0].message
    return message.content, [json.loads(call.function.arguments) for call in message.tool_calls or []]


def openai_responses(model, prompt, stream, tools):
    body = {"model": model, "input": prompt}
    if tools:
        body["tools"] = [{"type": "function", **NAMED, "parameters": PARAMETERS}]
    if stream:
        with gpt.responses.stream(**body) as events:
            response = events.get_final_response()
    else:
        response = gpt.responses.create(**body)
    calls = [item for item in response.output if item.type == "function_call"]
    return response.output_text, [json.loads(call.arguments) for call in calls]


def anthropic_messages(model, prompt, stream, tools):
    body = {"model": model, "max_tokens": 2000, "messages": [{"role": "user", "content": prompt}]}
    if tools:
        body["tools"] = [{**NAMED, "input_schema": PARAMETERS}]
    if stream:
        with claude.messages.stream(**body) as events:
            message = events.get_final_message()
    else:
        message = claude.messages.create(**body)
    text = "".join(block.text for block in message.content if block.type == "text")
    return text, [block.input for block in message.content if block.type == "tool_use"]


CLIENTS = {
    "OpenAI SDK, chat (Python)": openai_chat,
    "OpenAI SDK, responses (Python)": openai_responses,
    "Anthropic SDK (Python)": anthropic_messages,
}


def error_of(call, model, stream, tools):
    prompt = 'call get_weather {"city":"Oslo"}' if tools else "say: hi"
    try:
        text, inputs = call(model, prompt, stream, tools)
        assert inputs == [{"city": "Oslo"}] if tools else text == "hi", (text, inputs)
    except Exception as error:  # Every failure is a result here.
        return str(error)[:300]
    return None


for (client, call), model, stream, tools in itertools.product(
    CLIENTS.items(), sys.argv[2:], (False, True), (False, True)
):
    error = error_of(call, model, stream, tools)
    print(json.dumps({"client": client, "model": model, "stream": stream, "tools": tools, "error": error}), flush=True)
