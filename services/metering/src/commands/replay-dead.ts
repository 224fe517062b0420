// NATS_URL=… node services/metering/src/commands/replay-dead.ts: brings dead letters back to the usage stream.
import { readConfig } from "@uag/kit/config.ts";
import { schema } from "../config.ts";
import { replayDead } from "../stream/replay-dead.ts";

const config = readConfig(schema.pick({ NATS_URL: true, STREAM_PREFIX: true }));
const replayed = await replayDead({ natsUrl: config.NATS_URL, streamPrefix: config.STREAM_PREFIX });
process.stdout.write(`${replayed} messages replayed\n`);
