import { jsonResponse, jsonUsage, responseText } from "./responses.ts";

/** Throws unless this is the complete, correct response to the request with that nonce. */
export function checkJsonResponse(response: {
  readonly head: string;
  readonly body: string;
  readonly nonce: string;
  readonly model: string;
}): void {
  if (!isOk(response.head)) throw new WrongResponse("not a 200", response);
  if (response.body === jsonResponse(response)) return;
  // Compares meaning, not bytes: a gateway may rename the model or add fields.
  const parsed = JSON.parse(response.body) as {
    choices?: { message?: { content?: string } }[];
    usage?: { total_tokens?: number };
  };
  if (parsed.choices?.[0]?.message?.content !== responseText(response.nonce))
    throw new WrongResponse("wrong text", response);
  if (parsed.usage?.total_tokens !== jsonUsage.total_tokens) throw new WrongResponse("wrong usage", response);
}

export function isOk(head: string): boolean {
  return head.startsWith("HTTP/1.1 200 ");
}

export class WrongResponse extends Error {
  constructor(what: string, response: { readonly head: string; readonly body: string; readonly nonce: string }) {
    super(`${what}; request ${response.nonce} got the response\n${response.head}\n${response.body.slice(0, 2_000)}`);
    this.name = "WrongAnswer";
  }
}
