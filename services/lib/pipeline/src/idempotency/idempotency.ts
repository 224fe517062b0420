import { createHash, randomUUID } from "node:crypto";
import { mayUseModel } from "@uag/catalog/names";
import type { Catalog } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { formerName } from "@uag/contract/former-operations";
import { checkIdempotencyKey } from "@uag/contract/idempotency-key";
import type { LinkHandler } from "@uag/link/server";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Logger } from "@uag/runtime/log";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { FreeAdmission } from "@uag/usage/types";
import { callerOf } from "../caller.ts";
import { clientErrorOf } from "../client-error.ts";
import type { CapabilityEvents } from "../events.ts";
import type { Operation, Operations } from "../operation/operation.ts";
import { modelNotFound } from "../request/find-model.ts";
import { respondError } from "../respond-error.ts";
import { type FindBill, isBillable } from "./bills.ts";
import { type ReadBody, readAhead } from "./read-body.ts";
import type { Claim, KeptResponse } from "./record.ts";
import { RecordingExchange } from "./recorder.ts";
import { resultLost } from "./result-lost.ts";
import { Run } from "./run.ts";
import type { Runs } from "./runs.ts";
import type { IdempotencyStore } from "./store.ts";

const header = "idempotency-key";
/** An interrupted run is billed within this time, unless its journal was lost with its disk. */
const maxDoubtMs = 15 * 60_000;

/** Dependencies of requests with an idempotency key. */
export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  /** The runs of this process. */
  readonly runs: Runs;
  readonly findBill: FindBill;
  /** Counts a free response toward its key's limits. */
  readonly admitFree: FreeAdmission["admitFree"];
  /** By whose names a key's list allows a model. */
  readonly catalog: { readonly current: Pick<Catalog, "models"> };
  readonly events: CapabilityEvents;
  readonly log: Logger;
  /** Accounts for bodies read ahead for their digest, and for stored responses. */
  readonly buffers: BufferBudget;
  /** How often a run's lease is renewed, milliseconds; well within the store's lease. */
  readonly renewMs: number;
}

/**
 * Makes handlers honor `Idempotency-Key`: the first request with a key runs, later ones with the
 * same body get its response again, and nothing is run or billed twice. Requests without the header
 * pass straight through.
 */
export function withIdempotency(operations: Operations, options: IdempotencyOptions): Record<string, LinkHandler> {
  const wrap = (operation: Operation): LinkHandler => {
    const { handler, storesBody = false } = operation;
    if (storesBody) return handler;
    return (exchange) => {
      if (exchange.bodyless) return handler(exchange);
      const key = exchange.header(header);
      return key === undefined ? handler(exchange) : runOnce(exchange, { ...options, key, operation });
    };
  };
  return Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, wrap(operation)]));
}

type KeyedRequest = IdempotencyOptions & { readonly key: string; readonly operation: Operation };

async function runOnce(exchange: LinkExchange, requested: KeyedRequest): Promise<void> {
  const caller = callerOf(exchange.context);
  using lease = requested.buffers.open(caller.accountId);
  const token = randomUUID();
  let body: ReadBody | undefined;
  let id: string;
  try {
    // The body is read first, even for an invalid key: the error format may depend on the model
    // that it names.
    body = await readAhead(exchange, lease);
    id = idOf(exchange, caller, requested.key);
    const request = { bodyDigest: body.digest, requestId: exchange.requestId, token };
    const claim = await claimFor(caller, { ...requested, id, request });
    if (claim.kind !== "mine") {
      using admitted = await requested.admitFree({ caller, operation: exchange.operation });
      return await replayResponse(
        exchange,
        responseOf(claim, { caller, operation: exchange.operation, catalog: requested.catalog.current }),
        admitted.headers,
      );
    }
  } catch (thrown) {
    const format = await requested.operation.errorFormat(await body?.whole(), caller);
    const clientError = clientErrorOf(thrown, exchange.requestId);
    requested.events.notAdmitted(clientError, { exchange });
    return respondError(exchange, clientError, { events: requested.events, format, headers: [] });
  }
  await runMine(exchange, { ...requested, id, token, body });
}

async function runMine(
  exchange: LinkExchange,
  requested: KeyedRequest & { id: string; token: string; body: ReadBody },
): Promise<void> {
  const { body, buffers, runs } = requested;
  const { requestId } = exchange;
  const { accountId, keepsNoAnswers } = callerOf(exchange.context);
  const lease = buffers.open(accountId);
  const run = new Run({ ...requested, requestId, keepsResponses: !keepsNoAnswers, lease });
  runs.add(run);
  const recorder = new RecordingExchange({ exchange, body, run });
  try {
    await requested.operation.handler(recorder);
  } finally {
    await recorder.done();
  }
}

function idOf(exchange: LinkExchange, { accountId, keyId }: Caller, key: string): string {
  checkIdempotencyKey(key);
  const parts = [accountId, keyId, formerName(exchange.operation), key];
  return createHash("sha256").update(parts.join("\n")).digest("base64url");
}

interface Claiming extends KeyedRequest {
  readonly id: string;
  readonly request: Parameters<IdempotencyStore["claim"]>[1];
}

/** @throws {GatewayError} when it cannot be determined whether the request may run */
async function claimFor(
  caller: Caller,
  { store, findBill, id, request }: Claiming,
): Promise<Exclude<Claim, { kind: "interrupted" }>> {
  for (;;) {
    const claim = await store.claim(id, request).catch(away);
    if (claim.kind !== "interrupted") return claim;
    const { requestId, token, silentMs } = claim;
    const bill = await findBill({ accountId: caller.accountId, requestId }).catch(away);
    if (bill === undefined) {
      if (silentMs > maxDoubtMs) throw resultLost({ requestId, costNanoUsd: undefined });
      throw new GatewayError("idempotency_in_progress", undefined, { retryAfterMs: 2_000 });
    }
    await (isBillable(bill) ? store.lose(id, token, bill) : store.free(id, token)).catch(away);
  }
}

function away(cause: unknown): never {
  throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
}

/**
 * @throws {GatewayError} when there is no response to replay, or the key may no longer use its
 * model
 */
function responseOf(
  claim: Exclude<Claim, { kind: "mine" | "interrupted" }>,
  { caller, operation, catalog }: { caller: Caller; operation: string; catalog: Pick<Catalog, "models"> },
): KeptResponse {
  if (claim.kind === "reused") throw new GatewayError("idempotency_key_reuse");
  if (claim.kind === "running") throw new GatewayError("idempotency_in_progress", undefined, { retryAfterMs: 1_000 });
  if (claim.kind === "lost") throw resultLost(claim.receipt);
  const { model } = claim.response;
  if (model !== undefined && !mayUseModel(caller, catalog.models.get(model) ?? { id: model }))
    throw modelNotFound(model, operation);
  return claim.response;
}

/** @throws {GatewayError} when the response can no longer be read */
async function replayResponse(
  exchange: LinkExchange,
  response: KeptResponse,
  limits: readonly string[],
): Promise<void> {
  const pieces = response.body()[Symbol.asyncIterator]();
  const lost = (): never => {
    throw resultLost({ requestId: response.requestId, costNanoUsd: undefined });
  };
  let piece = await pieces.next().catch(lost);
  const first = ["idempotent-replayed", "true", "x-gateway-billed-request-id", response.requestId];
  exchange.head(response.status, [...lasting(response.headers), ...limits, ...first]);
  for (; piece.done !== true; piece = await pieces.next()) if (!exchange.write(piece.value)) await exchange.drained();
  exchange.end();
}

/** Drops what the original response says about limits and envelopes: it is outdated. */
function lasting(headers: readonly string[]): string[] {
  return headers.filter(
    (_, at) => !/^(?:(?:(?:x|anthropic)-)?ratelimit|x-gateway-envelope)/.test(headers[at - (at % 2)] as string),
  );
}
