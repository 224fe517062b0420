import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { buildConsole } from "@uag/local/console-web";
import { lastRelease, ownRelease, type Release } from "@uag/local/release";
import { replicaNames } from "@uag/local/service-processes";
import { collectFigures, showFigures } from "../soak/figures.ts";
import type { LoadResponse } from "../soak/load.ts";
import { checkOut } from "./checkout.ts";
import {
  type ChangeOptions,
  type ChangeReport,
  catalogOf,
  catalogPath,
  clientsOf,
  graceFor,
  rolled,
  startRollFleet,
  unexpectedEnds,
} from "./fleet.ts";
import { MixedLoad } from "./mixed-load.ts";

export interface UpgradeOptions extends ChangeOptions {
  /** The git reference of the previous release; default: the last release. */
  readonly from?: string;
  /** Replaces one process of every service at the same time, as Helm does with the chart of the whole fleet. */
  readonly atOnce?: boolean;
}

const replicas = 2;
const wordMs = 1_000;
/** Like `minReadySeconds`: the other services have reconnected to a replica before the next one stops. */
const betweenMs = 3_000;
/** Longer than a catalogue takes to be reloaded. */
const takenOverMs = 7_000;
const waitMs = 120_000;
/** The order of infra/README.md: readers first (auditor and metering), then writers. */
const order = ["auditor", ...rolled];
const single = ["auditor"];

interface Step {
  readonly title: string;
  readonly to: Release;
  /** Processes that are replaced together, in their order. */
  readonly waves: readonly (readonly string[])[];
  /** A catalogue is never newer than the code that reads it, so it is upgraded last and downgraded first. */
  readonly catalog: "first" | "last";
}

interface Passage extends Omit<UpgradeOptions, "from" | "atOnce"> {
  readonly fleet: TestFleet;
  /** The responses that clients have received so far. */
  readonly responses: LoadResponse[];
  readonly done: Map<string, number>;
}

type Passed = Pick<ChangeReport, "figures" | "failed">;

const processesOf = (service: string): string[] => replicaNames(service, single.includes(service) ? 1 : replicas);

/** One process after another, or the first of every service and then the second of every service. */
function wavesOf(services: readonly string[], atOnce: boolean): string[][] {
  const processes = services.map(processesOf);
  if (!atOnce) return processes.flat().map((name) => [name]);
  return Array.from({ length: replicas }, (_, index) => processes.flatMap((names) => names.slice(index, index + 1)));
}

/** Replaces every process by one of another release, wave by wave, under load. */
async function pass(passage: Passage, { title, to, waves, catalog }: Step): Promise<Passed> {
  const { fleet, dataDir, random, streamSeconds, report, responses, done } = passage;
  const load = new MixedLoad({ fleet, clients: await clientsOf(fleet), random, words: streamSeconds });
  const { tally } = load;
  const changeCatalog = async (): Promise<void> => {
    tally.during = `${title} of the catalogue`;
    await copyFile(join(to.root, catalogPath), catalogOf(dataDir));
    await sleep(takenOverMs);
  };
  try {
    await sleep(betweenMs);
    if (catalog === "first") await changeCatalog();
    for (const names of waves) {
      tally.during = `${title} of ${names.join(", ")}`;
      await Promise.all(names.map((name) => fleet.changeRelease(name, to)));
      await sleep(betweenMs);
      report(`${tally.during}: ${tally.sum} done, ${tally.failed} failed`);
    }
    if (catalog === "last") await changeCatalog();
  } finally {
    await load.stop();
  }
  responses.push(...load.responses);
  for (const [action, count] of tally.done) done.set(action, (done.get(action) ?? 0) + count);
  const figures = await collectFigures(fleet, {
    responses,
    violations: [...tally.violations(), ...unexpectedEnds(fleet)],
    waitMs,
  });
  report(showFigures(title, figures));
  return { figures, failed: tally.failed };
}

/**
 * Starts a fleet of the release before, and replaces its processes by this checkout's under load, one
 * after the other or one of each service at once; then goes back. No request may fail either way, and
 * the books must be exact after each.
 */
export async function upgrade(options: UpgradeOptions): Promise<ChangeReport> {
  const { dataDir, streamSeconds, report, services = order, atOnce = false } = options;
  const { ref, from } = options.from === undefined ? await lastRelease() : { ref: options.from, from: "--from" };
  report(`The previous release is ${ref} (${from}).`);
  const before = await checkOut(ref, join(dataDir, "before"), report);
  await buildConsole({ report });
  const drainMs = graceFor(streamSeconds);
  await using fleet = await startRollFleet({ dataDir, replicas, drainMs, wordMs, release: before });
  const passage: Passage = { ...options, fleet, responses: [], done: new Map() };
  const there = await pass(passage, {
    title: "upgrade",
    to: ownRelease,
    waves: wavesOf(services, atOnce),
    catalog: "last",
  });
  const waves = wavesOf(services.toReversed(), atOnce);
  const back = await pass(passage, { title: "downgrade", to: before, waves, catalog: "first" });
  const violations = [...there.figures.violations, ...back.figures.violations];
  return { figures: { ...back.figures, violations }, done: passage.done, failed: there.failed + back.failed };
}
