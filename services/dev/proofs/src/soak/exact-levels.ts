import type { TestClient } from "@uag/harness/fleet/client";
import { topUp } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { exactBody, exactCost } from "./exact-funds.ts";
import { collectFigures, type Figures } from "./figures.ts";
import { newOrganization, newShop, openEnvelope } from "./level-keys.ts";
import { Load, type LoadResponse } from "./load.ts";
import { exactModel, type Proof, type ProofOptions } from "./proof.ts";

const requests = 1_000;
const teams = 4;
const ttl = 3_600;

type Options = Pick<ProofOptions, "fleet" | "random">;

/** Keys that have money for exactly this many requests together. */
interface Level {
  readonly name: string;
  readonly refusal: RegExp;
  clients(fleet: TestFleet, amountNanoUsd: bigint): Promise<readonly TestClient[]>;
}

const organization: Level = {
  name: "an organization",
  refusal: /^429 budget_exceeded$/,
  clients: async (fleet, amountNanoUsd) =>
    (await newOrganization(fleet, { teams, amountNanoUsd })).keys.map(({ client }) => client),
};

async function opened(fleet: TestFleet, opener: TestClient, amountNanoUsd: bigint): Promise<TestClient> {
  const envelope = await openEnvelope(fleet, opener, { amountNanoUsd, ttl });
  if (envelope === undefined) throw new Error("The gateway does not open an envelope.");
  return envelope.client;
}

/** An agent, and its sub-agents with as much each. */
const run: Level = {
  name: "an envelope",
  refusal: /^402 envelope_exhausted$/,
  clients: async (fleet, amountNanoUsd) => {
    const agent = await opened(fleet, fleet.client, amountNanoUsd);
    const below = Array.from({ length: teams - 1 }, () => opened(fleet, agent, amountNanoUsd));
    return [agent, ...(await Promise.all(below))];
  },
};

/** One end user, by way of several connections. */
const endUser: Level = {
  name: "an end user",
  refusal: /^429 budget_exceeded$/,
  clients: async (fleet, amountNanoUsd) => {
    const shop = await newShop(fleet, amountNanoUsd);
    return Array.from({ length: teams }, () => shop.client("alice"));
  },
};

/** For each of `counts`: 1,000 concurrent requests of a level's keys, with money for exactly that many. */
export async function proveExactLevels({ fleet, random }: Options, counts: readonly number[]): Promise<Figures> {
  const responses: LoadResponse[] = [];
  const violations: string[] = [];
  await topUp(fleet, BigInt(2 * requests) * exactCost, "exact-levels");
  for (const { name, refusal, clients } of [organization, endUser, run]) {
    for (const count of counts) {
      const load = new Load({
        clients: await clients(fleet, BigInt(count) * exactCost),
        kinds: ["json"],
        concurrency: requests,
        requests,
        random,
        model: exactModel,
        body: exactBody,
      });
      await load.ended();
      responses.push(...load.responses);
      if (load.completed !== count)
        violations.push(`With money for ${count} requests in ${name}, ${load.completed} succeeded.`);
      for (const [outcome, many] of load.counts)
        if (outcome !== "completed" && !refusal.test(outcome))
          violations.push(`With money for ${count} requests in ${name}, ${many} ended with "${outcome}".`);
    }
  }
  return await collectFigures(fleet, { responses, violations });
}

export const exactLevels: Proof = {
  name: "exact-levels",
  about:
    "1,000 concurrent requests of the keys of four teams, of an end user, and of an agent with three sub-agents, with money for exactly 1, 50 or 500 at the level above them: that many succeed",
  seconds: 0,
  run: (options) => proveExactLevels(options, [1, 50, 500]),
};
