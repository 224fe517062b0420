import { answerText, jsonResponse, jsonUsage } from "./answers.ts";

/** Throws unless this is the whole and right answer to the request with that nonce. */
export function checkJsonResponse(answer: {
  readonly head: string;
  readonly body: string;
  readonly nonce: string;
  readonly model: string;
}): void {
  if (!isOk(answer.head)) throw new WrongResponse("not a 200", answer);
  if (answer.body === jsonResponse(answer)) return;
  // Not byte for byte what the upstream said: a gateway may rename the model or add fields, but
  // must keep the meaning.
  const parsed = JSON.parse(answer.body) as {
    choices?: { message?: { content?: string } }[];
    usage?: { total_tokens?: number };
  };
  if (parsed.choices?.[0]?.message?.content !== answerText(answer.nonce)) throw new WrongResponse("wrong text", answer);
  if (parsed.usage?.total_tokens !== jsonUsage.total_tokens) throw new WrongResponse("wrong usage", answer);
}

export function isOk(head: string): boolean {
  return head.startsWith("HTTP/1.1 200 ");
}

export class WrongResponse extends Error {
  constructor(what: string, answer: { readonly head: string; readonly body: string; readonly nonce: string }) {
    super(`${what}; request ${answer.nonce} was answered with\n${answer.head}\n${answer.body.slice(0, 2_000)}`);
    this.name = "WrongAnswer";
  }
}
