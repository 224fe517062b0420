import assert from "node:assert/strict";

type Json = Record<string, unknown>;

interface Called {
  id: unknown;
  name: unknown;
  input: string;
}

/** A client's view of a response, whatever its format and whether it was streamed. */
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

/**
 * Assembles the Responses format's events, and asserts their order: numbered without gaps, what
 * was added is done once, and what is done is what the pieces were.
 */
export function viewOfResponseEvents(stream: string): View {
  const events = stream.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
  const pieces = new Map<string, string>();
  const open = new Set<unknown>();
  let last: Json = {};
  for (const [at, event] of events.entries()) {
    const [, name = "", json = ""] = /^event: ([\w.]+)\ndata: (.*)$/s.exec(event) ?? assert.fail(event);
    last = JSON.parse(json) as Json;
    const { type, sequence_number, item_id: id, output_index: index, delta } = last;
    assert.equal(type, name);
    assert.equal(sequence_number, at);
    assert.equal(name === "response.created", at === 0);
    if (name === "response.output_item.added") open.add(index);
    else if (name === "response.output_item.done") assert.ok(open.delete(index), "it was open");
    else if (index !== undefined) assert.ok(open.has(index), `${name} is within an item`);
    const part = `${id} ${last["content_index"] ?? ""} ${name.replace(/\.\w+$/, "")}`;
    if (typeof delta === "string") pieces.set(part, (pieces.get(part) ?? "") + delta);
    const whole = last["text"] ?? last["refusal"] ?? last["arguments"] ?? last["input"];
    if (name.endsWith(".done") && typeof whole === "string") assert.equal(pieces.get(part) ?? "", whole);
  }
  assert.equal(open.size, 0, "every item is done");
  assert.match(String(last["type"]), /^response\.(completed|incomplete)$/);
  return viewOfResponse(last["response"] as Json);
}

/** The same view of a complete response. */
export function viewOfResponse(body: Json): View {
  const items = body["output"] as Json[];
  const joined = (list: string, field: string): string =>
    items
      .flatMap((item) => (item[list] ?? []) as Json[])
      .map((part) => part[field] ?? "")
      .join("");
  return {
    text: `${joined("content", "text")}${joined("content", "refusal")}`,
    thinking: joined("summary", "text"),
    calls: items
      .filter(({ call_id }) => call_id !== undefined)
      .map(({ call_id, name, arguments: sent, input }) => ({
        id: call_id,
        name,
        input: (sent ?? JSON.stringify(input)) as string,
      })),
    reason: `${body["status"]} ${JSON.stringify(body["incomplete_details"])}`,
    usage: body["usage"],
  };
}

/** Assembles the events of Gemini's format as Google's SDK does. */
export function viewOfGeneratedEvents(stream: string): View {
  const events = stream.split("\n\n").filter((event) => event !== "");
  const views = events.map((event) => viewOfGenerated(JSON.parse(event.slice("data: ".length)) as Json));
  return views.reduce((all, { text, thinking, calls, reason, usage }) => ({
    text: all.text + text,
    thinking: all.thinking + thinking,
    calls: [...all.calls, ...calls],
    reason: reason ?? all.reason,
    usage: usage ?? all.usage,
  }));
}

/** A response in Gemini's format. */
export function viewOfGenerated(body: Json): View {
  const [candidate] = body["candidates"] as { content: { parts: Json[] }; finishReason?: string }[];
  const view: View = {
    text: "",
    thinking: "",
    calls: [],
    reason: candidate?.finishReason,
    usage: body["usageMetadata"],
  };
  for (const { text = "", thought, functionCall } of candidate?.content.parts ?? []) {
    const { id, name, args } = (functionCall ?? {}) as Json;
    if (functionCall !== undefined) view.calls.push({ id, name, input: JSON.stringify(args) });
    else if (thought === true) view.thinking += text as string;
    else view.text += text as string;
  }
  return view;
}
