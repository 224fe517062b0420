// npm run replay-dead: republishes the dead letters of the running fleet to its usage stream.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/command/step.mjs";
import { replayDead } from "@uag/metering/stream/replay-dead.ts";
import { readRunningFleet } from "./options.ts";

const help = `npm run replay-dead

Publishes every message that metering could not apply to the usage stream again, after what was wrong was mended. What is
still wrong comes back to the dead letters.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const { nats_url: natsUrl } = await readRunningFleet();
  print(`${await replayDead({ nats: { NATS_URL: natsUrl }, streamPrefix: "" })} messages replayed`);
}

await main().then(() => process.exit(0), fail);
