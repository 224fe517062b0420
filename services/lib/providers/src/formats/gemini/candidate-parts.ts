import { openCallId } from "../../conversation/call-id.ts";
import type { CallEvent, ResponseEvent } from "../../conversation/events.ts";
import { fieldsOf, parsedJson } from "../../conversation/fields.ts";
import { geminiSignature } from "../../conversation/gemini-signature.ts";
import { sealThinking } from "../../conversation/sealed-thinking.ts";
import { foreignSignature } from "./signatures.ts";

/** One of Gemini's content parts. */
export interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly functionCall?: object;
  readonly thoughtSignature?: string;
}

interface Call {
  readonly event: CallEvent;
  json: string;
}

/** Converts the events of one candidate to parts. */
export class CandidateParts {
  readonly #showsThoughts: boolean;
  /** Thinking not yet ended by a signature. */
  #thinking = "";
  /** Thinking that the next part's signature keeps for the provider. */
  #sealed: string[] = [];
  readonly #calls: Call[] = [];

  /** @param showsThoughts the client has set `includeThoughts` */
  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts;
  }

  /**
   * The parts that are complete with this event. Calls are at the end, or once something else follows
   * them and their input is whole: providers may continue it later.
   */
  take(event: ResponseEvent): Part[] {
    switch (event.type) {
      case "text":
      case "refusal":
        return [...this.#closeCalls(), { text: event.text, ...this.#signature() }];
      case "thinking":
        this.#thinking += event.text;
        return this.#showsThoughts ? [...this.#closeCalls(), { text: event.text, thought: true }] : [];
      case "signature":
        return this.#sign(event.signature);
      case "redacted":
        this.#sealed.push(sealThinking({ redacted: event.data }));
        return [];
      case "call":
        this.#calls.push({ event, json: "" });
        return [];
      case "input": {
        const call = this.#calls.find((each) => each.event.call === event.call);
        if (call !== undefined) call.json += event.json;
        return [];
      }
      case "stop":
        return this.#end();
      default:
        return [];
    }
  }

  #sign(signature: string): Part[] {
    const thinking = this.#thinking;
    this.#thinking = "";
    const own = geminiSignature(signature);
    if (own !== undefined) return [...this.#closeCalls(), { text: "", thoughtSignature: own }];
    this.#sealed.push(sealThinking({ thinking, signature }));
    return [];
  }

  #end(): Part[] {
    const calls = this.#partsOf(this.#calls.splice(0));
    const signature = this.#signature();
    return signature.thoughtSignature === undefined ? calls : [...calls, { text: "", ...signature }];
  }

  #closeCalls(): Part[] {
    const open = this.#calls.findIndex(({ json }) => parsedJson(json) === undefined);
    return this.#partsOf(this.#calls.splice(0, open < 0 ? this.#calls.length : open));
  }

  #partsOf(calls: readonly Call[]): Part[] {
    return calls.map(({ event: { id, name, signature }, json }) => {
      const kept = this.#signature();
      const functionCall = { id: openCallId(id).id, name, args: fieldsOf(parsedJson(json)) };
      return { functionCall, ...(signature === undefined ? kept : { thoughtSignature: signature }) };
    });
  }

  /** The signature that keeps all thinking so far; none without thinking. */
  #signature(): Pick<Part, "thoughtSignature"> {
    if (this.#thinking !== "") this.#sealed.push(sealThinking({ thinking: this.#thinking, signature: "" }));
    const sealed = this.#sealed;
    this.#thinking = "";
    this.#sealed = [];
    return sealed.length === 0 ? {} : { thoughtSignature: foreignSignature(sealed) };
  }
}

/** The parts with each run of text, or of thoughts, as one part. */
export function joinedParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const continues = last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (!continues || last.thoughtSignature !== undefined) joined.push(part);
    else joined[joined.length - 1] = { ...last, ...part, text: last.text + part.text };
  }
  return joined;
}
