// npm run prove: proves one promise or all of them, each on its own fleet.
import { parseArgs } from "node:util";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { isClean, showFigures } from "../soak/figures.ts";
import { databasePath, startProofFleet } from "../soak/proof.ts";
import { proofs } from "../soak/proofs.ts";
import { mayMount, mountVolume } from "../soak/volume.ts";
import { inDataDir } from "./data-dir.ts";

const lines = proofs.map(({ name, about, seconds }) => {
  const lasts = seconds === 0 ? "" : ` (${seconds} s)`;
  return `  ${name.padEnd(16)} ${about}${lasts}`;
});
const help = `npm run prove -- <name ...> | all [options]

${lines.join("\n")}

Each runs on its own fleet with three chat replicas, ends with the audit and prints its figures. See also
npm run simulate, npm run crash and npm run soak.
  --seconds <n>   duration of the failure, instead of the above
  --rate <n>      requests per second of metering-down; default 500
  --seed <n>      seed of the load; default 1
`;

const text = { type: "string" } as const;
const options = { seconds: text, rate: text, seed: text, help: { type: "boolean", short: "h" } } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help || positionals.length === 0) {
    process.stdout.write(help);
    return values.help ? 0 : 1;
  }
  const unknown = positionals.filter((name) => name !== "all" && !proofs.some((proof) => proof.name === name));
  if (unknown.length > 0) throw new UserError(`Unknown proof ${unknown.join(", ")}.\n\n${help}`);
  let clean = true;
  for (const proof of proofs) {
    if (!positionals.includes("all") && !positionals.includes(proof.name)) continue;
    if (proof.databaseBytes !== undefined && !mayMount()) {
      print(`${proof.name}: left out, as only root may mount a volume.`);
      continue;
    }
    const proven = await inDataDir("proof", async (dataDir) => {
      await using volumes = new AsyncDisposableStack();
      if (proof.databaseBytes !== undefined) volumes.use(await mountVolume(databasePath(dataDir), proof.databaseBytes));
      await using fleet = await startProofFleet(dataDir, proof);
      const seconds = Number(values.seconds ?? proof.seconds);
      const random = seededRandom(Number(values.seed ?? 1));
      const rate = values.rate === undefined ? {} : { perSecond: Number(values.rate) };
      const figures = await proof.run({ fleet, seconds, random, ...rate });
      process.stdout.write(showFigures(proof.name, figures));
      return isClean(figures);
    });
    clean &&= proven;
  }
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
