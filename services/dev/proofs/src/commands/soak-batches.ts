// npm run soak:batches: runs batches while processes are killed.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/local/terminal/step";
import { soakBatches } from "../soak/batches.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak:batches -- [options]

Runs batches of several accounts while processes are killed with SIGKILL at random, and checks that each line has exactly
one result, each successful one its bill, each bill its line, and that the books are exact. Prints the lines lost and
doubled. Exits with 1 unless both are 0.
  --lines <n>      lines in all; default 10000
  --batches <n>    batches, each of an account of its own; default 4
  --seed <n>       seed of the kills and of the requests; default 1
  --kill-all       also kills billing, metering, nats-server and mongod
  --every <ms>     average interval between kills; default 8000
  --minutes <n>    longest duration; lines without a result by then count as lost; default 20
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  lines: text,
  batches: text,
  seed: text,
  every: text,
  minutes: text,
  "kill-all": flag,
  help: { ...flag, short: "h" },
} as const;

const serving = ["chat", "chat-2", "media", "media-2"];
const behind = ["billing", "metering", "nats-server", "mongod"];
const minuteMs = 60_000;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const clean = await inDataDir("soak-batches", async (dataDir) => {
    const result = await soakBatches({
      dataDir,
      lines: Number(values.lines ?? 10_000),
      batches: Number(values.batches ?? 4),
      seed: Number(values.seed ?? 1),
      kill: values["kill-all"] ? [...serving, ...behind] : serving,
      killEveryMs: Number(values.every ?? 8_000),
      maxMs: Number(values.minutes ?? 20) * minuteMs,
      report: (line) => void process.stderr.write(`${line}\n`),
    });
    print(JSON.stringify(result, null, 2));
    return result.violations.length === 0;
  });
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
