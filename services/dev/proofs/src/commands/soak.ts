// npm run soak: kills every process at random under mixed load, and checks that nothing is lost,
// duplicated or overdrawn.
import { parseArgs } from "node:util";
import { fail } from "@uag/local/terminal/step";
import { isClean, showFigures } from "../soak/figures.ts";
import { soak } from "../soak/soak.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak -- [options]

Kills router, chat replicas, billing, metering, NATS and MongoDB with SIGKILL, one after another at random, under JSON
responses, streams, clients that disconnect and clients that retry; then audits. Exits with 1 when anything is not exact.
  --minutes <n>   default 5
  --seed <n>      seed of the load and of the kills; default 1
  --every <ms>    average interval between kills; default 5000
`;

const text = { type: "string" } as const;
const options = { minutes: text, seed: text, every: text, help: { type: "boolean", short: "h" } } as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const clean = await inDataDir("soak", async (dataDir) => {
    const figures = await soak({
      minutes: Number(values.minutes ?? 5),
      seed: Number(values.seed ?? 1),
      killEveryMs: Number(values.every ?? 5_000),
      dataDir,
      report: (line) => void process.stdout.write(`${line}\n`),
    });
    process.stdout.write(showFigures("soak", figures));
    return isClean(figures);
  });
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
