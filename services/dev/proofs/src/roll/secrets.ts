import { setTimeout as sleep } from "node:timers/promises";
import { serviceNames } from "@uag/contract/routes";
import { startReceiver } from "@uag/harness/fleet/receiver";
import { simulatorPort } from "@uag/harness/fleet/simulator-port";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { buildConsole } from "@uag/local/console-web";
import { renewCertificates } from "@uag/local/identity/certificates";
import { replicaNames } from "@uag/local/service-processes";
import { collectFigures } from "../soak/figures.ts";
import { type ChangeOptions, type ChangeReport, clientsOf, graceFor, startRollFleet, unexpectedEnds } from "./fleet.ts";
import { makeKeepsakes } from "./keepsakes.ts";
import { MixedLoad, type MixedLoadOptions } from "./mixed-load.ts";
import { NewSecrets, type Phase } from "./new-secrets.ts";

export interface SecretsOptions extends ChangeOptions {
  /** Capability services whose secrets are replaced in addition to those of all other services; default all. */
  readonly services?: readonly string[];
  /** Names of further client actions; default all. */
  readonly load?: Pick<MixedLoadOptions, "only" | "videos">;
}

const replicas = 2;
const wordMs = 1_000;
/** Clients of a service have reconnected to a replica before the next one stops. */
const betweenMs = 3_000;
/** Each key is used again within this time, and is then stored under its new digest. */
const usedAgainMs = 10_000;
const phases: readonly Phase[] = ["accept", "use", "forget"];
const single = ["auditor"];
const alwaysThere = ["auditor", "notifications", "metering", "billing", "console", "router"];
const withoutSecrets = ["mcp"];

/** Restarts all processes with the secrets of a phase: each service's first replica, then the others. */
async function rollAll(fleet: TestFleet, groups: readonly string[][], settingsOf: (name: string) => object) {
  for (const names of groups) {
    await Promise.all(names.map((name) => fleet.processes.restart(name, { ...settingsOf(name) })));
    await sleep(betweenMs);
  }
}

const serviceOf = (name: string): string => name.replace(/-\d+$/, "");

/**
 * Replaces every secret of the product and of its users in the engines, and every certificate,
 * under load: no request may fail, and what was made under the old ones stays good.
 */
export async function secrets(options: SecretsOptions): Promise<ChangeReport> {
  const { dataDir, random, streamSeconds, services = serviceNames, load: others, report } = options;
  await using receiver = await startReceiver({ refuseEvery: 0 });
  await buildConsole({ report });
  const changed = [...alwaysThere, ...services];
  const drainMs = graceFor(streamSeconds);
  const started = [...changed, ...withoutSecrets];
  const env = { EGRESS_ALLOW: `127.0.0.1:${await simulatorPort(dataDir)},${receiver.address}`, AUDIT_FIRST_MS: "1000" };
  const replicated = changed.filter((name) => !single.includes(name));
  await using fleet = await startRollFleet({ dataDir, replicas, replicated, services: started, drainMs, wordMs, env });
  const keepsakes = await makeKeepsakes(fleet, receiver, random);
  const more = keepsakes.actions;
  const load = new MixedLoad({ fleet, clients: await clientsOf(fleet), random, words: streamSeconds, more, ...others });
  const { tally } = load;
  const fresh = new NewSecrets();
  const all = changed.flatMap((name) => replicaNames(name, single.includes(name) ? 1 : replicas));
  const groups = [all.filter((name) => name === serviceOf(name)), all.filter((name) => name !== serviceOf(name))];
  try {
    await fresh.addUsers(fleet, changed);
    for (const phase of phases) {
      tally.during = `the roll in which replicas ${phase} secrets`;
      await rollAll(fleet, groups, (name) =>
        fresh.settingsFor(serviceOf(name), fleet.processes.environment(name), phase),
      );
      await keepsakes.make(phase);
      if (phase === "use") {
        fleet.run.admin.token = fresh.of("ADMIN_TOKEN");
        await renewCertificates(dataDir);
        await sleep(usedAgainMs);
      }
      report(`${phase}: ${tally.sum} done, ${tally.failed} failed`);
    }
    tally.during = "the removal of the first users";
    await fresh.dropUsers(fleet, changed);
    await sleep(betweenMs);
  } finally {
    await load.stop();
  }
  await keepsakes.arrived();
  const violations = [...tally.violations(), ...unexpectedEnds(fleet), ...keepsakes.violations()];
  const figures = await collectFigures(fleet, { responses: load.responses, violations, waitMs: 120_000 });
  return { figures, done: tally.done, failed: tally.failed };
}
