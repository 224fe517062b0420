import type { TestFleet } from "@uag/fleet/testing/with-fleet.ts";
import { natsOptions } from "@uag/kit/bus.ts";
import { connect, type NatsConnection } from "nats";

/** A connection to the fleet's NATS, with the operator's rights. Disposing closes it. */
export async function connectNats({ run }: TestFleet): Promise<NatsConnection & AsyncDisposable> {
  const nats = await connect(natsOptions({ NATS_URL: run.nats_url }));
  return Object.assign(nats, { [Symbol.asyncDispose]: () => nats.close() });
}
