import { createHash, randomUUID } from "node:crypto";
import type { BufferBudget } from "@uag/kit/buffer-budget.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import type { LinkHandler } from "@uag/kit/link/server.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import type { Logger } from "@uag/kit/log.ts";
import { callerOf } from "../caller.ts";
import type { CapabilityEvents } from "../events.ts";
import { nestedErrors } from "../nested-error.ts";
import { answerTrouble, type FormatChoice, formatFor, troubleOf } from "../trouble.ts";
import { type ReadBody, readAhead } from "./read-body.ts";
import { RecordingExchange } from "./recorder.ts";
import type { Claim, IdempotencyStore, StoredAnswer } from "./store.ts";

const header = "idempotency-key";
const longestKey = 255;

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly events: CapabilityEvents;
  readonly log: Logger;
  /** Pays for the bodies that are read to be digested. */
  readonly buffers: BufferBudget;
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
  const { accountId } = callerOf(exchange.context);
  using lease = run.buffers.open(accountId);
  let body: ReadBody | undefined;
  let id: string;
  try {
    id = idOf(exchange, accountId, run.key);
    body = await readAhead(exchange, lease);
    const claim = await run.store.claim(id, body.digest, token).catch(away);
    if (claim.kind !== "mine") return answerFrom(exchange, claim);
  } catch (thrown) {
    const format = formatFor(run.formats?.[exchange.operation] ?? nestedErrors, body?.whole(), exchange);
    const trouble = troubleOf(thrown, exchange.requestId);
    return answerTrouble(exchange, trouble, { events: run.events, format, headers: [] });
  }
  await runMine(exchange, { ...run, id, token, body });
}

async function runMine(
  exchange: LinkExchange,
  run: Run & { id: string; token: string; body: ReadBody },
): Promise<void> {
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

function idOf(exchange: LinkExchange, accountId: string, key: string): string {
  if (key === "" || key.length > longestKey) {
    const text = `Idempotency-Key: must have 1 to ${longestKey} characters.`;
    throw new GatewayError("invalid_request", text, { param: header });
  }
  return createHash("sha256").update([accountId, exchange.operation, key].join("\n")).digest("base64url");
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
