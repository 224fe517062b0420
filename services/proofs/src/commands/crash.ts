// npm run crash: kills every process at every named point of a request's life, and checks that
// nothing is lost or doubled.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/command/step.mjs";
import { startTestFleet, type TestFleet } from "@uag/fleet/testing/with-fleet.ts";
import { seededRandom } from "@uag/kit/seeded-random.ts";
import { crash, ownerOf, roundsOf } from "../soak/crash.ts";
import { diskFaults, diskFaultsEnv, diskPhases, failDisk } from "../soak/disk.ts";
import { isClean } from "../soak/figures.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run crash -- [options]

Ends a process with SIGKILL at every named point of a request's life, for JSON answers and for streams, under load, and
audits after each; then has the journals' disk fail at every operation while the process bills, is fenced and adopts. Prints
a row for each; ends with 1 when one is not exact.
  --reps <n>      how often each; default 1
  --seed <n>      of the load and of the passing at which a process dies; default 1
  --point <a,b>   only these points
  --kind <kind>   json, stream or disk alone
`;

const text = { type: "string" } as const;
const options = { reps: text, seed: text, point: text, kind: text, help: { type: "boolean", short: "h" } } as const;

const row = (...cells: readonly (string | number)[]): string =>
  `${cells.map((cell, n) => (n < 2 ? String(cell).padEnd(16) : String(cell).padStart(10))).join("")}\n`;

/** Prints one row per fault and phase. */
async function failDisks(fleet: TestFleet, random: () => number): Promise<boolean> {
  let clean = true;
  for (const fault of diskFaults) {
    for (const phase of diskPhases) {
      const figures = await failDisk(fleet, { faults: [fault], phases: [phase], lastsMs: 3_000, random });
      const { requests, kills, lost, doubled, overdraft, leakedHolds } = figures;
      process.stdout.write(row(phase, "disk", fault, 1, requests, kills, lost, doubled, overdraft, leakedHolds));
      for (const sentence of figures.violations) print(`  - ${sentence}`);
      clean &&= isClean(figures);
    }
  }
  return clean;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const random = seededRandom(Number(values.seed ?? 1));
  const clean = await inDataDir("crash", async (dataDir) => {
    let exact = true;
    const env = diskFaultsEnv(dataDir);
    await using fleet = await startTestFleet({ dataDir, services: ["billing", "metering", "chat", "router"], env });
    process.stdout.write(
      row("point", "kind", "process", "rep", "requests", "kills", "lost", "doubled", "overdraft", "leaked"),
    );
    for (let rep = 1; rep <= Number(values.reps ?? 1); rep++) {
      for (const kind of ["json", "stream"] as const) {
        if (values.kind !== undefined && values.kind !== kind) continue;
        const points = roundsOf(kind).filter((point) => values.point?.split(",").includes(point) ?? true);
        for (const point of points) {
          const { requests, kills, lost, doubled, overdraft, leakedHolds, ...rest } = await crash(fleet, {
            points: [point],
            kind,
            random,
          });
          const figures = { requests, kills, lost, doubled, overdraft, leakedHolds, ...rest };
          process.stdout.write(
            row(point, kind, ownerOf(point), rep, requests, kills, lost, doubled, overdraft, leakedHolds),
          );
          for (const sentence of figures.violations) print(`  - ${sentence}`);
          exact &&= isClean(figures);
        }
      }
    }
    if (values.kind === undefined || values.kind === "disk") exact = (await failDisks(fleet, random)) && exact;
    return exact;
  });
  process.stdout.write(clean ? "exact\n" : "NOT exact\n");
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
