import assert from "node:assert/strict";

type Json = Record<string, unknown>;

interface Called {
  id: unknown;
  name: unknown;
  input: string;
}

/** A client's view of an answer, whatever its format and whether it was streamed. */
export interface View {
  text: string;
  thinking: string;
  calls: Called[];
  reason: unknown;
  usage: unknown;
}

/** Assembles a stream of chunks as OpenAI's SDK does. */
export function viewOfChunks(stream: string): View {
  const view: View = { text: "", thinking: "", calls: [], reason: undefined, usage: undefined };
  const events = stream.split("\n\n").filter((event) => event.startsWith("data: "));
  assert.equal(events.pop(), "data: [DONE]");
  for (const event of events) {
    const chunk = JSON.parse(event.slice("data: ".length)) as { choices: Json[]; usage: unknown };
    if (chunk.usage != null) view.usage = chunk.usage;
    for (const { index, delta, finish_reason } of chunk.choices as {
      index: number;
      delta: Json;
      finish_reason: unknown;
    }[]) {
      if (index !== 0) continue;
      view.reason = finish_reason ?? view.reason;
      view.text += (delta["content"] ?? "") as string;
      view.text += (delta["refusal"] ?? "") as string;
      view.thinking += (delta["reasoning_content"] ?? "") as string;
      for (const call of (delta["tool_calls"] ?? []) as { index: number; id?: string; function: Json }[]) {
        view.calls[call.index] ??= { id: call.id, name: call.function["name"], input: "" };
        (view.calls[call.index] as Called).input += call.function["arguments"] as string;
      }
    }
  }
  return view;
}

/** Assembles Anthropic's events as its SDK does, and asserts their order. */
export function viewOfEvents(stream: string): View {
  const view: View = { text: "", thinking: "", calls: [], reason: undefined, usage: undefined };
  let open: { index: number; type: string } | undefined;
  let blocks = 0;
  const events = stream.split("\n\n").filter((event) => event !== "");
  for (const [at, event] of events.entries()) {
    const [, name, json] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? assert.fail(event);
    const data = JSON.parse(json as string) as Json;
    assert.equal(data["type"], name);
    assert.equal(name === "message_start", at === 0);
    assert.equal(name === "message_stop", at === events.length - 1);
    if (name === "content_block_start") {
      const block = data["content_block"] as Json;
      assert.equal(open, undefined, "blocks do not overlap");
      assert.equal(data["index"], blocks++);
      open = { index: blocks - 1, type: block["type"] as string };
      if (open.type === "tool_use") view.calls.push({ id: block["id"], name: block["name"], input: "" });
    } else if (name === "content_block_delta") {
      assert.equal(data["index"], open?.index);
      addDelta(view, data["delta"] as Json, open?.type);
    } else if (name === "content_block_stop") {
      assert.equal(data["index"], open?.index);
      open = undefined;
    } else if (name === "message_delta") {
      assert.equal(open, undefined);
      view.reason = (data["delta"] as Json)["stop_reason"];
      view.usage = data["usage"];
    }
  }
  return view;
}

function addDelta(view: View, delta: Json, block: string | undefined): void {
  const kinds: Record<string, string> = {
    text_delta: "text",
    thinking_delta: "thinking",
    signature_delta: "thinking",
    input_json_delta: "tool_use",
  };
  assert.equal(kinds[delta["type"] as string], block);
  view.text += (delta["text"] ?? "") as string;
  view.thinking += (delta["thinking"] ?? "") as string;
  const call = view.calls.at(-1);
  if (call !== undefined) call.input += (delta["partial_json"] ?? "") as string;
}

/** The same view of a complete chat completion. */
export function viewOfCompletion(body: Json): View {
  const [choice] = body["choices"] as { message: Json; finish_reason: unknown }[];
  const { message, finish_reason } = choice ?? assert.fail("no choice");
  const calls = (message["tool_calls"] ?? []) as { id: string; function: Json }[];
  return {
    text: `${message["content"] ?? ""}${message["refusal"] ?? ""}`,
    thinking: (message["reasoning_content"] ?? "") as string,
    calls: calls.map(({ id, function: f }) => ({ id, name: f["name"], input: f["arguments"] as string })),
    reason: finish_reason,
    usage: body["usage"],
  };
}

/** The same view of a complete message. */
export function viewOfMessage(body: Json): View {
  const blocks = body["content"] as Json[];
  const joined = (field: string): string => blocks.map((block) => block[field] ?? "").join("");
  const calls = blocks.filter((block) => block["type"] === "tool_use");
  return {
    text: joined("text"),
    thinking: joined("thinking"),
    calls: calls.map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
    reason: body["stop_reason"],
    usage: body["usage"],
  };
}
