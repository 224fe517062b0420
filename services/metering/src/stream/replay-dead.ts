import { copyProof } from "@uag/runtime/batch-mac";
import { connectBus } from "@uag/runtime/bus";
import type { NatsSettings } from "@uag/runtime/config";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { headers, NatsError } from "nats";
import { streamNames } from "./topology.ts";

/**
 * Republishes every message of the dead-letter stream to the usage stream and deletes it from the
 * former; returns the count. Messages that are still poison come back.
 */
export async function replayDead(options: { nats: NatsSettings; streamPrefix: string }): Promise<number> {
  const names = streamNames(options.streamPrefix);
  const log = createLogger({ service: "metering-replay", level: "warn" });
  await using bus = await connectBus({ settings: options.nats, name: "metering-replay", log });
  const manager = await bus.connection.jetstreamManager();
  const { state } = await manager.streams.info(names.dead);
  let replayed = 0;
  for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(names.dead, { seq }).catch((error: unknown) => {
      if (error instanceof NatsError && error.jsError()?.code === 404) return undefined;
      throw error;
    });
    if (message === undefined) continue;
    const proof = copyProof(message.header, headers());
    await bus.connection
      .jetstream()
      .publish(names.undivided.subject, message.data, { headers: proof, msgID: newId("replay") });
    await manager.streams.deleteMessage(names.dead, seq);
    replayed++;
  }
  return replayed;
}
