import { print } from "@uag/local/terminal/step";
import { replayDead } from "@uag/metering/stream/replay-dead";
import { needed, type Target } from "./target.ts";

/** Republishes the messages of the dead-letter stream to the usage stream. */
export async function replay({ nats }: Target): Promise<void> {
  print(`${await replayDead({ nats: needed(nats, "NATS_URL"), streamPrefix: "" })} messages replayed`);
}
