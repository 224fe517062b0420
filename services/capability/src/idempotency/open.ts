import type { LinkHandler } from "@uag/kit/link/server.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import type { Identity } from "@uag/kit/rpc/identity.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import type { CapabilityContext } from "../context.ts";
import type { CapabilitySettings } from "../settings.ts";
import type { FormatChoice } from "../trouble.ts";
import { billsOf } from "./bills.ts";
import { withIdempotency } from "./idempotency.ts";
import type { Runs } from "./runs.ts";
import { IdempotencyStore } from "./store.ts";

const leaseMs = 6_000;
const dayMs = 24 * 3_600_000;

export interface OnceOptions {
  readonly settings: CapabilitySettings;
  readonly context: CapabilityContext;
  readonly identity: Identity;
  readonly formats: Readonly<Record<string, FormatChoice>>;
  readonly runs: Runs;
  /** What is opened is closed with it. */
  readonly started: AsyncDisposableStack;
}

/** Operations with answers kept under idempotency keys, where there is a database to keep them in. */
export function onceByKey(
  operations: Readonly<Record<string, LinkHandler>>,
  { settings, context, identity, formats, runs, started }: OnceOptions,
): Readonly<Record<string, LinkHandler>> {
  const { MONGODB_URL: url, METERING_ADDR } = settings;
  if (url === undefined) return operations;
  const store = started.use(new IdempotencyStore({ url, leaseMs, lifeMs: dayMs }));
  started.use(runs);
  const metering = started.use(createRpcClient<MeteringServiceServer>(MeteringServiceService, METERING_ADDR, identity));
  const { events, log, buffers } = context;
  const findBill = billsOf(metering);
  return withIdempotency(operations, { store, runs, findBill, events, log, buffers, formats, renewMs: leaseMs / 3 });
}
