// npm run roll: restarts, scales and upgrades a fleet under load, and checks that no request fails.
import { parseArgs } from "node:util";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { runs } from "../roll/runs.ts";
import { isClean, showFigures } from "../soak/figures.ts";
import { inDataDir } from "./data-dir.ts";

const lines = Object.entries(runs).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`);
const help = `npm run roll -- <name ...> [options]

${lines.join("\n")}

Each runs on its own fleet behind HAProxy (Debian's), ends with the audit and prints its figures; exits with 1 when a
request failed or a figure is not exact.
  --stream-seconds <n>  duration of a long stream
  --seconds <n>         duration of a phase: a number of replicas, an overload, an outage of a server
  --services <a,b>      only these services are restarted or scaled
  --from <ref>          git reference of the release that the upgrade starts from
  --at-once             the upgrade replaces one process of every service at the same time
  --seed <n>            seed of the load; default 1
`;

const text = { type: "string" } as const;
const options = {
  seconds: text,
  "stream-seconds": text,
  services: text,
  from: text,
  "at-once": { type: "boolean" },
  seed: text,
  help: { type: "boolean", short: "h" },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help || positionals.length === 0) {
    process.stdout.write(help);
    return values.help ? 0 : 1;
  }
  let clean = true;
  for (const name of positionals) {
    const run = runs[name];
    if (run === undefined) throw new UserError(`Unknown run ${name}.\n\n${help}`);
    const passed = await inDataDir("roll", async (dataDir) => {
      const figures = await run.run({
        dataDir,
        random: seededRandom(Number(values.seed ?? 1)),
        ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
        ...(values["stream-seconds"] !== undefined && { streamSeconds: Number(values["stream-seconds"]) }),
        ...(values.services !== undefined && { services: values.services.split(",") }),
        ...(values.from !== undefined && { from: values.from }),
        ...(values["at-once"] !== undefined && { atOnce: values["at-once"] }),
        report: print,
      });
      process.stdout.write(showFigures(name, figures));
      return isClean(figures);
    });
    clean &&= passed;
  }
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
