// NATS_URL=… node services/metering/src/commands/replay-dead.ts: republishes dead letters to the
// usage stream.
import { natsSettings, readConfig } from "@uag/runtime/config";
import { z } from "zod";
import { schema } from "../config.ts";
import { replayDead } from "../stream/replay-dead.ts";

const config = readConfig(z.object({ ...natsSettings, STREAM_PREFIX: schema.shape.STREAM_PREFIX }));
const replayed = await replayDead({ nats: config, streamPrefix: config.STREAM_PREFIX });
process.stdout.write(`${replayed} messages replayed\n`);
