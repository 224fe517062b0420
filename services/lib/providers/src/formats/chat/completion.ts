import type { ResponseEvent, Tokens } from "../../conversation/events.ts";
import { geminiSignature } from "../../conversation/gemini-signature.ts";
import type { GenerationCall } from "../../generation.ts";
import { googleExtra } from "./extra.ts";
import { chatId, chatUsage, finishReasons } from "./reasons.ts";
import { thinkingBlock } from "./thinking-blocks.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  input: string;
  readonly signature: string | undefined;
}

class Choice {
  text = "";
  thinking = "";
  refusal = "";
  finish = "stop";
  readonly calls: Call[] = [];
  readonly blocks: object[] = [];
  readonly #logprobs: unknown[] = [];
  #unsigned = "";
  #googleSignature: string | undefined;

  take(event: ResponseEvent): void {
    switch (event.type) {
      case "text":
        this.text += event.text;
        for (const one of event.logprobs ?? []) this.#logprobs.push(one);
        return;
      case "thinking":
        this.thinking += event.text;
        this.#unsigned += event.text;
        return;
      case "signature":
        this.#sign(event.signature);
        return;
      case "redacted":
        this.blocks.push(thinkingBlock({ type: "redacted_thinking", data: event.data }, this.text.length));
        return;
      case "refusal":
        this.refusal += event.text;
        return;
      case "call":
        this.calls[event.call] = { id: event.id, name: event.name, input: "", signature: event.signature };
        return;
      case "input":
        (this.calls[event.call] as Call).input += event.json;
        return;
      case "stop":
        this.finish = finishReasons[event.reason];
        return;
    }
  }

  #sign(signature: string): void {
    this.#googleSignature = geminiSignature(signature) ?? this.#googleSignature;
    if (geminiSignature(signature) !== undefined) return;
    this.blocks.push(thinkingBlock({ type: "thinking", thinking: this.#unsigned, signature }, this.text.length));
    this.#unsigned = "";
  }

  /** Undefined without log probabilities. */
  get logprobs(): object | undefined {
    return this.#logprobs.length === 0 ? undefined : { content: this.#logprobs, refusal: null };
  }

  message(): object {
    const calls = this.calls.map(({ id, name, input, signature }) => ({
      id,
      type: "function",
      function: { name, arguments: input === "" ? "{}" : input },
      ...googleExtra(signature),
    }));
    const silent = this.text === "" && (calls.length > 0 || this.refusal !== "");
    return {
      role: "assistant",
      content: silent ? null : this.text,
      refusal: this.refusal === "" ? null : this.refusal,
      ...(this.thinking !== "" && { reasoning_content: this.thinking }),
      ...(this.blocks.length > 0 && { thinking_blocks: this.blocks }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...googleExtra(this.#googleSignature),
    };
  }
}

/** A complete response as a chat completion. */
export function chatCompletion(events: readonly ResponseEvent[], call: GenerationCall): object {
  const choices = new Map<number, Choice>();
  let tokens: Tokens | undefined;
  let id = "";
  let model: string | undefined;
  for (const event of events) {
    if (event.type === "start") ({ id, model } = event);
    else if (event.type === "usage") ({ tokens } = event);
    else if ("candidate" in event) {
      const choice = choices.get(event.candidate) ?? new Choice();
      choices.set(event.candidate, choice);
      choice.take(event);
    }
  }
  const usage = chatUsage(tokens);
  return {
    id: chatId(id, call.requestId),
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: model ?? call.model.id,
    choices: [...choices]
      .sort(([a], [b]) => a - b)
      .map(([index, choice]) => ({
        index,
        message: choice.message(),
        logprobs: choice.logprobs ?? null,
        finish_reason: choice.finish,
      })),
    ...(usage !== undefined && { usage }),
  };
}
