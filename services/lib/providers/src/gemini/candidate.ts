import { newCallId, signedCallId } from "../conversation/call-id.ts";
import type { ResponseEvent } from "../conversation/events.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../conversation/fields.ts";
import { markedSignature } from "../conversation/gemini-signature.ts";
import { finishEvents } from "./finish.ts";
import { openAiLogprobs } from "./log-probabilities.ts";
import { PartialInput } from "./partial-call.ts";

/** Reads one of a response's candidates, whose parts may come in several events. */
export class GeminiCandidate {
  stopped = false;
  readonly #candidate: number;
  readonly #toolName: (name: string) => string;
  #calls = 0;
  /** The input of the last call, while more of it is to come. */
  #partial: PartialInput | undefined;

  constructor(candidate: number, toolName: (name: string) => string) {
    this.#candidate = candidate;
    this.#toolName = toolName;
  }

  read(fields: Fields): ResponseEvent[] {
    const parts = listOf(fieldsOf(fields["content"])["parts"]);
    const events = withLogprobs(
      parts.flatMap((part) => this.#part(fieldsOf(part))),
      fields["logprobsResult"],
    );
    const reason = textOf(fields["finishReason"]);
    if (this.stopped || !reason || reason === "FINISH_REASON_UNSPECIFIED") return events;
    return [...events, ...this.stop(reason, textOf(fields["finishMessage"]))];
  }

  /** @param reason undefined: the response ended without one */
  stop(reason: string | undefined, message: string | undefined): ResponseEvent[] {
    this.stopped = true;
    const candidate = this.#candidate;
    return [...this.#closeCall(), ...finishEvents({ candidate, reason, message, called: this.#calls > 0 })];
  }

  #part(part: Fields): ResponseEvent[] {
    const candidate = this.#candidate;
    const signature = textOf(part["thoughtSignature"]);
    if (isFields(part["functionCall"])) return this.#call(part["functionCall"], signature);
    const text = textOf(part["text"]) ?? "";
    const events: ResponseEvent[] = [];
    if (text !== "") events.push({ type: part["thought"] === true ? "thinking" : "text", candidate, text });
    if (signature) events.push({ type: "signature", candidate, signature: markedSignature(signature) });
    return events;
  }

  #call({ id, name, args, partialArgs, willContinue }: Fields, signature: string | undefined): ResponseEvent[] {
    const candidate = this.#candidate;
    const called = textOf(name);
    const events: ResponseEvent[] = [];
    if (called !== undefined) {
      events.push(...this.#closeCall());
      const ownId = signedCallId(textOf(id) || newCallId(), signature);
      const call = this.#calls++;
      events.push({ type: "call", candidate, call, id: ownId, name: this.#toolName(called), signature });
      this.#partial = new PartialInput(fieldsOf(args));
    }
    this.#partial?.add(partialArgs);
    return willContinue === true ? events : [...events, ...this.#closeCall()];
  }

  #closeCall(): ResponseEvent[] {
    if (this.#partial === undefined) return [];
    const { json } = this.#partial;
    this.#partial = undefined;
    return [{ type: "input", candidate: this.#candidate, call: this.#calls - 1, json }];
  }
}

/** A candidate's log probabilities are of all its text, which usually is one part. */
function withLogprobs(events: readonly ResponseEvent[], result: unknown): ResponseEvent[] {
  const logprobs = openAiLogprobs(result);
  const first = events.findIndex(({ type }) => type === "text");
  if (logprobs.length === 0) return [...events];
  return events.map((event, index) => (index === first && event.type === "text" ? { ...event, logprobs } : event));
}
