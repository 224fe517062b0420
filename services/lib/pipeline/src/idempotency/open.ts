import type { LinkHandler } from "@uag/link/server";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { systemClock } from "@uag/runtime/clock";
import { keyringOf } from "@uag/runtime/keyring";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { FreeLimits } from "@uag/untrusted/free-limits";
import type { FreeAdmission } from "@uag/usage/types";
import type { CapabilityContext } from "../context.ts";
import { handlersOf, type Operations } from "../operation/operation.ts";
import type { CapabilitySettings } from "../settings.ts";
import { billsOf } from "./bills.ts";
import { withIdempotency } from "./idempotency.ts";
import { ResponseBox } from "./response-box.ts";
import { Runs } from "./runs.ts";
import { IdempotencyStore } from "./store.ts";

const leaseMs = 6_000;

/** What {@link onceByKey} needs from a capability service. */
export interface OnceOptions {
  readonly settings: CapabilitySettings;
  readonly context: CapabilityContext;
  readonly limits: FreeAdmission;
  readonly identity: Identity;
  /** Owns what is opened. */
  readonly started: AsyncDisposableStack;
}

/** Operations whose responses are stored under idempotency keys, if a database is configured. */
export function onceByKey(
  operations: Operations,
  { settings, context, limits, identity, started }: OnceOptions,
): Readonly<Record<string, LinkHandler>> {
  const { MONGODB_URL: url, METERING_ADDR } = settings;
  if (url === undefined) return handlersOf(operations);
  const store = started.use(
    new IdempotencyStore({
      url,
      leaseMs,
      lifeMs: settings.ANSWER_TTL_MS,
      box: settings.ANSWER_TTL_MS === 0 ? undefined : boxOf(settings),
    }),
  );
  const runs = started.use(new Runs());
  const metering = started.use(createRpcClient<MeteringServiceServer>(MeteringServiceService, METERING_ADDR, identity));
  const { catalog, events, log, buffers } = context;
  const findBill = billsOf(metering);
  const admitFree = withinFree(limits);
  return withIdempotency(operations, {
    store,
    runs,
    findBill,
    admitFree,
    catalog,
    events,
    log,
    buffers,
    renewMs: leaseMs / 3,
  });
}

/** Encrypts stored responses; undefined: no key for that is configured. */
export function boxOf({
  ANSWER_KEY,
  ANSWER_KEY_PREVIOUS,
}: Pick<CapabilitySettings, "ANSWER_KEY" | "ANSWER_KEY_PREVIOUS">): ResponseBox | undefined {
  return ANSWER_KEY === undefined ? undefined : new ResponseBox(keyringOf(ANSWER_KEY, ANSWER_KEY_PREVIOUS));
}

/** Per key in this replica. */
const freeLimits = { perMinute: 600, concurrency: 16 };

/**
 * Free responses count toward their key's limits and also have a limit of their own, since most
 * keys have none.
 */
function withinFree(limits: FreeAdmission): FreeAdmission["admitFree"] {
  const free = new FreeLimits({ clock: systemClock, ...freeLimits });
  return async (request) => {
    using held = new DisposableStack();
    held.use(await free.enter({ keyId: request.caller.keyId, requestsPerMinute: 0, bodyBytes: 0 }));
    const { headers } = held.use(await limits.admitFree(request));
    const kept = held.move();
    return { headers, [Symbol.dispose]: () => kept.dispose() };
  };
}
