import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type KeyServiceServer, KeyServiceService, type ResolveKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import { digestKey, parseKey } from "@uag/runtime/api-key";
import type { Bus } from "@uag/runtime/bus";
import { systemClock } from "@uag/runtime/clock";
import type { Keyring } from "@uag/runtime/keyring";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { subscribeToKeyChanges } from "./changes.ts";
import { KeyCache, type LookupReason, tooManyGuesses } from "./key-cache.ts";
import { LookupBatch, type LookupBatchOptions } from "./lookup-batch.ts";

const lookupTimeoutMs = 2_000;

export interface OpenKeysOptions {
  billingAddress: string;
  identity: Identity;
  peppers: Keyring;
  maxAgeMs: number;
  maxEntries: number;
  bus: Bus;
  metrics: Metrics;
  log: Logger;
}

function requestFor(secret: string, { current, previous }: Keyring): ResolveKeyRequest {
  return {
    digest: digestKey(secret, current.secret),
    previousDigests: previous.map((pepper) => digestKey(secret, pepper.secret)),
    pepperId: current.id,
  };
}

function overloaded(): GatewayError {
  const cause = new Error("too many lookups of keys wait for billing");
  return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
}

/**
 * Separate batches by reason, so that no client waits for another key's renewal, and guessing costs
 * billing ten calls a second whatever its rate.
 */
function openBatches(call: LookupBatchOptions["call"]): Readonly<Record<LookupReason, LookupBatch>> {
  const common = { call, maxCalls: 4, maxWaiting: 10_000, refusal: overloaded };
  return {
    unknown: new LookupBatch({ ...common, waitMs: 0 }),
    renewal: new LookupBatch({ ...common, waitMs: 250 }),
    guess: new LookupBatch({ ...common, waitMs: 100, maxWaiting: 500, refusal: () => tooManyGuesses(1_000) }),
  };
}

/**
 * Opens the key cache with its data sources: billing's lookups and the changes that the broker
 * announces.
 */
export function openKeys(options: OpenKeysOptions): { keys: KeyCache } & Disposable {
  const { bus, log, metrics } = options;
  const billing = createRpcClient<KeyServiceServer>(KeyServiceService, options.billingAddress, options.identity);
  const lookups = metrics.counter("uag_key_lookups_total").labels();
  const changed = metrics.counter("uag_key_changes_total").labels();
  const batches = openBatches(async (requests) => {
    lookups.inc();
    return (await billing.resolveKeys({ keys: requests }, { timeoutMs: lookupTimeoutMs })).keys;
  });
  const keys = new KeyCache({
    resolve: (request, why) => batches[why].find(request),
    requestFor: (secret) => (parseKey(secret) === undefined ? undefined : requestFor(secret, options.peppers)),
    subscribedSince: () => changes.subscribedSince(),
    clock: systemClock,
    maxAgeMs: options.maxAgeMs,
    maxEntries: options.maxEntries,
  });
  const changes = subscribeToKeyChanges({
    bus,
    clock: systemClock,
    log,
    onChange: (digest) => {
      changed.inc();
      keys.drop(digest);
    },
    onBudget: (id) => {
      changed.inc();
      keys.dropBudget(id);
    },
    onUnreadable: () => keys.dropAll(),
  });
  return {
    keys,
    [Symbol.dispose]() {
      changes[Symbol.dispose]();
      billing[Symbol.dispose]();
    },
  };
}
