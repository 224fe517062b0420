import { availableOf, newAccount } from "@uag/harness/fleet/limited-key";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, type LoadResponse } from "./load.ts";
import { exactModel, type Proof, type ProofOptions } from "./proof.ts";

const words = 20;
const nanoUsdPerToken = 1_000_000n;
/** Cost and hold of each request with {@link exactBody}, nano-USD. */
export const exactCost = BigInt(words) * nanoUsdPerToken;
const requests = 1_000;
/** Of a request to the exact model. */
export const exactBody = { max_tokens: words, messages: [{ role: "user", content: `repeat ${words} words` }] };

/** Sends all requests at once, from an account with money for exactly `count` of them. */
async function spendAll(
  { fleet, random }: Pick<ProofOptions, "fleet" | "random">,
  count: number,
): Promise<{ responses: readonly LoadResponse[]; accountId: string; violations: string[] }> {
  const { client, key } = await newAccount(fleet, BigInt(count) * exactCost);
  const load = new Load({
    clients: [client],
    kinds: ["json"],
    concurrency: requests,
    requests,
    random,
    model: exactModel,
    body: exactBody,
  });
  await load.ended();
  const wrong = [...load.counts].filter(
    ([outcome]) => outcome !== "completed" && outcome !== "402 insufficient_balance",
  );
  const violations = wrong.map(
    ([outcome, many]) => `With money for ${count} requests, ${many} ended with "${outcome}".`,
  );
  if (load.completed !== count) violations.push(`With money for ${count} requests, ${load.completed} succeeded.`);
  return { responses: load.responses, accountId: key.accountId, violations };
}

/** For each of `counts`: 1,000 concurrent requests with money for exactly that many. */
export async function proveExactFunds(
  options: Pick<ProofOptions, "fleet" | "random">,
  counts: readonly number[],
): Promise<Figures> {
  const responses: LoadResponse[] = [];
  const violations: string[] = [];
  const accounts: string[] = [];
  for (const count of counts) {
    const spent = await spendAll(options, count);
    responses.push(...spent.responses);
    violations.push(...spent.violations);
    accounts.push(spent.accountId);
  }
  const figures = await collectFigures(options.fleet, { responses, violations });
  const left: string[] = [];
  for (const id of accounts) {
    const available = await availableOf(options.fleet, id);
    if (available !== 0n) left.push(`${available} nano-USD remain on ${id}.`);
  }
  return { ...figures, violations: [...figures.violations, ...left] };
}

export const exactFunds: Proof = {
  name: "exact-funds",
  about:
    "1,000 concurrent requests with money for exactly 1, 7, 50, 250 or 999: that many succeed, and the balance is 0",
  seconds: 0,
  run: (options) => proveExactFunds(options, [1, 7, 50, 250, 999]),
};
