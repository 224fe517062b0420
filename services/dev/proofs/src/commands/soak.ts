// npm run soak: kills every process at random under mixed load, and checks that nothing is lost,
// doubled or overdrawn.
import { parseArgs } from "node:util";
import { fail } from "@uag/local/terminal/step";
import { isClean, showFigures } from "../soak/figures.ts";
import { soak } from "../soak/soak.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak -- [options]

Ends router, chat replicas, billing, metering, NATS and MongoDB with SIGKILL, one after another at random, under JSON
answers, streams, clients that leave and clients that try again; then audits. Ends with 1 when anything is not exact.
  --minutes <n>   default 5
  --seed <n>      of the load and of the kills; default 1
  --every <ms>    between two kills, about; default 5000
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
