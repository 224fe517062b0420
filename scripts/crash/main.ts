// npm run crash: every process dies at every named point of a request's life, and nothing is lost or doubled.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crash, ownerOf, roundsOf } from "../../services/fleet/src/soak/crash.ts";
import { isClean } from "../../services/fleet/src/soak/figures.ts";
import { seeded } from "../../services/fleet/src/soak/kills.ts";
import { startTestFleet } from "../../services/fleet/src/testing/with-fleet.ts";
import { fail } from "../lib/step.mjs";

const help = `npm run crash -- [options]

Ends a process with SIGKILL at every named point of a request's life, for JSON answers and for streams, under load, and
audits after each. Prints a row for each; ends with 1 when one is not exact.
  --reps <n>      how often each; default 1
  --seed <n>      of the load and of the passing at which a process dies; default 1
  --point <a,b>   only these points
  --kind <kind>   json or stream alone
`;

const text = { type: "string" } as const;
const options = { reps: text, seed: text, point: text, kind: text, help: { type: "boolean", short: "h" } } as const;

const row = (...cells: readonly (string | number)[]): string =>
  `${cells.map((cell, n) => (n < 2 ? String(cell).padEnd(16) : String(cell).padStart(10))).join("")}\n`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const random = seeded(Number(values.seed ?? 1));
  const dataDir = await mkdtemp(join(tmpdir(), "crash-"));
  let clean = true;
  try {
    await using fleet = await startTestFleet({ dataDir, services: ["billing", "metering", "chat", "router"] });
    process.stdout.write(
      row("point", "kind", "process", "rep", "requests", "kills", "lost", "doubled", "overdraft", "leaked"),
    );
    for (let rep = 1; rep <= Number(values.reps ?? 1); rep++) {
      for (const kind of ["json", "stream"] as const) {
        if (values.kind !== undefined && values.kind !== kind) continue;
        const points = roundsOf(kind).filter((point) => values.point?.split(",").includes(point) ?? true);
        for (const point of points) {
          const { requests, kills, lost, doubled, overdraft, leakedHolds, ...rest } = await crash(fleet, {
            ...{ points: [point], kind, random },
          });
          const figures = { requests, kills, lost, doubled, overdraft, leakedHolds, ...rest };
          process.stdout.write(
            row(point, kind, ownerOf(point), rep, requests, kills, lost, doubled, overdraft, leakedHolds),
          );
          for (const sentence of figures.violations) process.stdout.write(`  - ${sentence}\n`);
          clean &&= isClean(figures);
        }
      }
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  process.stdout.write(clean ? "exact\n" : "NOT exact\n");
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
