// npm run soak: kills every process at random under mixed load, and checks that nothing is lost,
// duplicated or overdrawn.
import { parseArgs } from "node:util";
import { fail } from "@uag/local/terminal/step";
import { isClean, showFigures } from "../soak/figures.ts";
import { isExplained, showHostile, soakHostile } from "../soak/hostile/hostile.ts";
import { soak } from "../soak/soak.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak -- [options]

Kills router, chat replicas, billing, metering, NATS and MongoDB with SIGKILL, one after another at random, under JSON
responses, streams, clients that disconnect and clients that retry; then audits. Exits with 1 when anything is not exact.
  --minutes <n>   default 5
  --seed <n>      seed of the load and of the kills; default 1
  --every <ms>    average interval between kills; default 5000
  --hostile       kills no process; providers send wrong, huge, missing, negative and new counters, errors with usage,
                  and responses that are too large or end early. Exits with 1 when a rule does not explain a bill
`;

const text = { type: "string" } as const;
const options = {
  minutes: text,
  seed: text,
  every: text,
  hostile: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const clean = await inDataDir("soak", async (dataDir) => {
    const common = {
      minutes: Number(values.minutes ?? 5),
      seed: Number(values.seed ?? 1),
      dataDir,
      report: (line: string) => void process.stdout.write(`${line}\n`),
    };
    if (values.hostile === true) {
      const hostile = await soakHostile(common);
      process.stdout.write(showHostile(hostile));
      return isExplained(hostile);
    }
    const figures = await soak({ ...common, killEveryMs: Number(values.every ?? 5_000) });
    process.stdout.write(showFigures("soak", figures));
    return isClean(figures);
  });
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
