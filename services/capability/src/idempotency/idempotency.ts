import { createHash, randomUUID } from "node:crypto";
import { GatewayError } from "@uag/kit/errors.ts";
import type { LinkHandler } from "@uag/kit/link/server.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import type { Logger } from "@uag/kit/log.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { CapabilityEvents } from "../events.ts";
import { nestedErrors } from "../nested-error.ts";
import { answerTrouble, type FormatChoice, formatFor, troubleOf } from "../trouble.ts";
import { RecordingExchange } from "./recorder.ts";
import type { Claim, IdempotencyStore, StoredAnswer } from "./store.ts";

const header = "idempotency-key";
const longestKey = 255;
const mostBodyBytes = 64 * 1024 * 1024;

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly events: CapabilityEvents;
  readonly log: Logger;
  /** How an operation's clients are told of errors; default: OpenAI's nested form. */
  readonly formats?: Readonly<Record<string, FormatChoice>>;
  /** A run is kept alive this often, milliseconds; well within the store's lease. */
  readonly renewMs: number;
}

/**
 * Makes handlers keep to `Idempotency-Key`: the first request under a key runs, later ones with the same body get its
 * answer again, and nothing is run or billed a second time. Requests without the header pass straight through.
 */
export function withIdempotency(
  operations: Readonly<Record<string, LinkHandler>>,
  options: IdempotencyOptions,
): Record<string, LinkHandler> {
  const wrap = (handler: LinkHandler): LinkHandler => {
    return (exchange) => {
      if (exchange.bodyless) return handler(exchange);
      const key = exchange.header(header);
      return key === undefined ? handler(exchange) : runOnce(exchange, { ...options, key, handler });
    };
  };
  return Object.fromEntries(Object.entries(operations).map(([name, handler]) => [name, wrap(handler)]));
}

type Run = IdempotencyOptions & { readonly key: string; readonly handler: LinkHandler };

async function runOnce(exchange: LinkExchange, run: Run): Promise<void> {
  const token = randomUUID();
  let body: Buffer | undefined;
  let id: string;
  try {
    body = await exchange.readBody({ maxBytes: mostBodyBytes });
    id = idOf(exchange, run.key);
    const claim = await run.store.claim(id, bodyHash(exchange, body), token).catch(away);
    if (claim.kind !== "mine") return answerFrom(exchange, claim);
  } catch (thrown) {
    const format = formatFor(run.formats?.[exchange.operation] ?? nestedErrors, body);
    const trouble = troubleOf(thrown, exchange.requestId);
    return answerTrouble(exchange, trouble, { events: run.events, format, headers: [] });
  }
  await runMine(exchange, { ...run, id, token, body });
}

async function runMine(exchange: LinkExchange, run: Run & { id: string; token: string; body: Buffer }): Promise<void> {
  const { store, id, token, log, body } = run;
  const complain = (error: unknown): void => log.error({ err: error, request_id: exchange.requestId }, notKept);
  const keep = (answer: StoredAnswer | undefined): Promise<void> =>
    (answer === undefined ? store.free(id, token) : store.finish(id, token, answer)).catch(complain);
  const recorder = new RecordingExchange({ exchange, body, keep });
  const timer = setInterval(() => store.renew(id, token).catch(complain), run.renewMs);
  try {
    await run.handler(recorder);
  } finally {
    clearInterval(timer);
    await recorder.done();
  }
}

const notKept = "the state of an idempotency key could not be written";

function idOf(exchange: LinkExchange, key: string): string {
  if (key === "" || key.length > longestKey) {
    const text = `Idempotency-Key: must have 1 to ${longestKey} characters.`;
    throw new GatewayError("invalid_request", text, { param: header });
  }
  const { accountId } = Caller.decode(exchange.context);
  return hash([accountId, "\n", exchange.operation, "\n", key]);
}

/** Clients draw a new boundary each time they send the same form: it is left out. */
function bodyHash(exchange: LinkExchange, body: Buffer): string {
  const type = exchange.header("content-type") ?? "";
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^\s;,]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return hash([body]);
  const pieces: (string | Buffer)[] = [];
  let from = 0;
  for (let at = body.indexOf(boundary); at >= 0; at = body.indexOf(boundary, from)) {
    pieces.push(body.subarray(from, at), "\n");
    from = at + Buffer.byteLength(boundary);
  }
  return hash([...pieces, body.subarray(from)]);
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest("base64url");
}

function away(cause: unknown): never {
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
}

function answerFrom(exchange: LinkExchange, claim: Exclude<Claim, { kind: "mine" }>): void {
  if (claim.kind === "reused") throw new GatewayError("idempotency_key_reuse");
  if (claim.kind === "running") throw new GatewayError("idempotency_in_progress", undefined, { retryAfterMs: 1_000 });
  const { status, headers, body } = claim.answer;
  exchange.head(status, [...headers, "idempotent-replayed", "true"]);
  for (const piece of body) exchange.write(piece);
  exchange.end();
}
