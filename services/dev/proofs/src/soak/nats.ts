import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { natsOptions } from "@uag/runtime/bus";
import { connect, type NatsConnection } from "nats";

/** A connection to the fleet's NATS, with the operator's rights. Disposing closes it. */
export async function connectNats({ run }: TestFleet): Promise<NatsConnection & AsyncDisposable> {
  const nats = await connect(natsOptions({ NATS_URL: run.nats_url }));
  return Object.assign(nats, { [Symbol.asyncDispose]: () => nats.close() });
}
