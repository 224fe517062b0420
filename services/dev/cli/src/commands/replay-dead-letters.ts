import { print } from "@uag/local/terminal/step";
import { replayDead } from "@uag/metering/stream/replay-dead";
import { readRunningFleet } from "./options.ts";

/** Republishes the messages of the running fleet's dead-letter stream to its usage stream. */
export async function replay(): Promise<void> {
  const { nats_url: natsUrl } = await readRunningFleet();
  print(`${await replayDead({ nats: { NATS_URL: natsUrl }, streamPrefix: "" })} messages replayed`);
}
