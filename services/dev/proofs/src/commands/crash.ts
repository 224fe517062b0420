// npm run crash: kills every process at every crash point of a request, and checks that nothing is
// lost or duplicated.
import { parseArgs } from "node:util";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { fail, print } from "@uag/local/terminal/step";
import { crashPoints } from "@uag/runtime/crash-point";
import { crash, crashFunds, type FundsRow, ownerOf, roundsOf } from "../soak/crash.ts";
import { diskFaults, diskFaultsEnv, diskPhases, failDisk } from "../soak/disk.ts";
import { isClean } from "../soak/figures.ts";
import { type FundsName, fundsEnv, fundsNames } from "../soak/funds.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run crash -- [options]

Kills a process with SIGKILL at every crash point of a request, for JSON responses and for streams, under load, and audits
after each. Repeats every point for each source of funds: a key whose budget is nearly used up, teams whose organization's
budget is, envelopes, an account whose balance is nearly zero, an account with write-offs, requests without a price, a key at
its limits. Then makes every operation of the
journals' disk fail while the process bills, is fenced and adopts. Prints a row for each, and a table of points and sources;
exits with 1 when one is not exact.
  --reps <n>      repetitions of each; default 1
  --seed <n>      seed of the load, and of the pass at which a process dies; default 1
  --point <a,b>   only these points
  --kind <kind>   only json, stream, funds or disk
  --funds <a,b>   only these sources: ${fundsNames.join(", ")}
`;

const text = { type: "string" } as const;
const helpFlag = { type: "boolean", short: "h" } as const;
const options = { reps: text, seed: text, point: text, kind: text, funds: text, help: helpFlag } as const;

/** @throws for a name that is not one of the sources */
function fundsOf(names: string | undefined): readonly FundsName[] {
  if (names === undefined) return fundsNames;
  return names.split(",").map((name) => {
    const known = fundsNames.find((one) => one === name);
    if (known === undefined) throw new Error(`"${name}" is no source of funds; use ${fundsNames.join(", ")}`);
    return known;
  });
}

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

/** Prints a row per source of funds, then the deaths at each point by source. */
async function crashByFunds(fleet: TestFleet, names: readonly FundsName[], random: () => number): Promise<boolean> {
  const rows: FundsRow[] = [];
  for (const name of names) {
    const figures = await crashFunds(fleet, name, { random });
    rows.push(figures);
    const { requests, kills, lost, doubled, overdraft, leakedHolds, atEdge } = figures;
    process.stdout.write(row(name, "funds", "all", 1, requests, kills, lost, doubled, overdraft, leakedHolds));
    print(`  ${atEdge} times at its edge`);
    for (const sentence of figures.violations) print(`  - ${sentence}`);
  }
  process.stdout.write(`\n${row("deaths at", "process", ...names)}`);
  for (const point of crashPoints)
    process.stdout.write(row(point, ownerOf(point), ...rows.map(({ deaths }) => deaths.get(point) ?? 0)));
  const everywhere = rows.every(({ deaths }) => crashPoints.every((point) => deaths.has(point)));
  return everywhere && rows.every(isClean);
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
    const services = ["billing", "metering", "chat", "router"];
    await using fleet = await startTestFleet({ dataDir, services, env: { ...env, ...fundsEnv } });
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
    if (values.kind === undefined || values.kind === "funds")
      exact = (await crashByFunds(fleet, fundsOf(values.funds), random)) && exact;
    if (values.kind === undefined || values.kind === "disk") exact = (await failDisks(fleet, random)) && exact;
    return exact;
  });
  process.stdout.write(clean ? "exact\n" : "NOT exact\n");
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
