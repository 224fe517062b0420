import { digestKey, parseKey } from "@uag/kit/api-key.ts";
import type { Bus } from "@uag/kit/bus.ts";
import { systemClock } from "@uag/kit/clock.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { hearKeyChanges } from "./changes.ts";
import { KeyCache } from "./key-cache.ts";

const lookupTimeoutMs = 2_000;

export interface OpenKeysOptions {
  billingAddress: string;
  /** Hex. */
  pepper: string;
  maxAgeMs: number;
  maxEntries: number;
  bus: Bus;
  metrics: Metrics;
  log: Logger;
}

/** The key cache with all that fills and corrects it: billing's look-up and the changes that the broker tells of. */
export function openKeys(options: OpenKeysOptions): { keys: KeyCache } & Disposable {
  const { bus, log, metrics } = options;
  const pepper = Buffer.from(options.pepper, "hex");
  const billing = createRpcClient<KeyServiceServer>(KeyServiceService, options.billingAddress);
  const lookups = metrics.counter("gateway_key_lookups_total", "Keys that billing was asked for").labels();
  const changed = metrics.counter("gateway_key_changes_total", "Key changes heard from the broker").labels();
  const keys = new KeyCache({
    resolve: (digest) => {
      lookups.inc();
      return billing.resolveKey({ digest }, { timeoutMs: lookupTimeoutMs });
    },
    digest: (secret) => (parseKey(secret) === undefined ? undefined : digestKey(secret, pepper)),
    heardSince: () => changes.heardSince(),
    clock: systemClock,
    maxAgeMs: options.maxAgeMs,
    maxEntries: options.maxEntries,
  });
  const changes = hearKeyChanges({
    bus,
    clock: systemClock,
    log,
    onChange: (digest) => {
      changed.inc();
      keys.drop(digest);
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
