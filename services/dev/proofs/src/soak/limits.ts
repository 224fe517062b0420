import { readServed } from "@uag/harness/audit/served";
import { setFault } from "@uag/harness/fleet/faults";
import { type LimitedKey, newKey } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, type LoadResponse } from "./load.ts";
import type { Proof, ProofOptions } from "./proof.ts";

const requests = 1_000;
const atOnce = 100;

type Options = Pick<ProofOptions, "fleet" | "random">;

/** The result of 1,000 requests against a key's limit. */
export interface LimitEvidence {
  readonly key: LimitedKey;
  readonly responses: readonly LoadResponse[];
  readonly completed: number;
  /** Requests beyond the limit, by the upstream's own log. */
  readonly overAdmitted: number;
  readonly violations: readonly string[];
}

interface Hit {
  readonly limits: Partial<Limits>;
  readonly model: string;
  readonly body?: object;
  /** The only allowed refusal. */
  readonly refusal: string;
}

/** Sends 1,000 requests, 100 at a time, with a new key. */
async function hit({ fleet, random }: Options, { limits, model, body = {}, refusal }: Hit) {
  const key = await newKey(fleet, limits);
  const load = new Load({ clients: [key.client], kinds: ["json"], concurrency: atOnce, requests, random, model, body });
  await load.ended();
  const wrong = [...load.counts].filter(([outcome]) => outcome !== "completed" && outcome !== refusal);
  const violations = wrong.map(([outcome, count]) => `${count} requests of a limited key ended with "${outcome}".`);
  return { key, load, violations };
}

/** The number of these requests that reached the upstream, by its own log. */
async function servedOf(fleet: TestFleet, responses: readonly LoadResponse[]): Promise<number> {
  const mine = new Set(responses.map(({ requestId }) => requestId));
  const { attempts } = await readServed(fleet.run.simulator_url);
  return new Set(attempts.flatMap(({ requestId = "" }) => (mine.has(requestId) ? [requestId] : []))).size;
}

/** Of 1,000 requests, exactly the limit is served within a minute. */
export async function proveRequests(options: Options, limit = 60): Promise<LimitEvidence> {
  const limits = { requestsPerMinute: BigInt(limit) };
  const refusal = "429 rate_limit_exceeded";
  const { key, load, violations } = await hit(options, { limits, model: "gpt-5.4-nano", refusal });
  const served = await servedOf(options.fleet, load.responses);
  const { completed } = load;
  const short = completed < limit ? [`Only ${completed} of ${limit} requests per minute were admitted.`] : [];
  const overAdmitted = Math.max(0, served - limit, completed - limit);
  return { key, responses: load.responses, completed, overAdmitted, violations: [...violations, ...short] };
}

/**
 * Of 1,000 requests, never more than the limit are concurrently at the upstream. No other proof may
 * use its model.
 */
export async function proveConcurrency(options: Options, limit = 5): Promise<LimitEvidence> {
  const { simulator_url: simulator } = options.fleet.run;
  const model = "gpt-4.1-mini";
  const limits = { concurrentRequests: BigInt(limit) };
  const end = await setFault(simulator, { latency: 100 }, { model: `${model}*` });
  const refusal = "429 concurrency_limit_exceeded";
  const { key, load, violations } = await hit(options, { limits, model, refusal });
  await end();
  const { models } = (await (await fetch(`${simulator}/sim/stats`)).json()) as {
    models: Record<string, { max: number }>;
  };
  const max = Math.max(...Object.entries(models).map(([name, { max }]) => (name.startsWith(model) ? max : 0)));
  const short = max < limit ? [`Only ${max} of ${limit} requests were concurrently at the upstream.`] : [];
  const overAdmitted = Math.max(0, max - limit);
  const { completed, responses } = load;
  return { key, responses, completed, overAdmitted, violations: [...violations, ...short] };
}

const minShareOfTokens = 0.9;

/** Of 1,000 requests capped at 50 tokens, as many succeed as fit into the limit. */
export async function proveTokens(options: Options, limit = 3_000): Promise<LimitEvidence> {
  const limits = { tokensPerMinute: BigInt(limit) };
  const refusal = "429 token_limit_exceeded";
  const requested = { limits, model: "gpt-4o-mini", body: { max_tokens: 50 }, refusal };
  const { key, load, violations } = await hit(options, requested);
  const tokens = load.responses.reduce((sum, response) => sum + response.tokens, 0);
  const short =
    tokens < limit * minShareOfTokens ? [`Only ${tokens} of ${limit} tokens per minute were admitted.`] : [];
  const { completed, responses } = load;
  return {
    key,
    responses,
    completed,
    overAdmitted: Math.max(0, tokens - limit),
    violations: [...violations, ...short],
  };
}

export const limits: Proof = {
  name: "limits",
  about:
    "1,000 requests against 60 requests per minute, 3,000 tokens per minute and 5 concurrent requests: exactly the limit is admitted",
  seconds: 0,
  async run(options): Promise<Figures> {
    const found = [await proveRequests(options), await proveConcurrency(options), await proveTokens(options)];
    return collectFigures(options.fleet, {
      responses: found.flatMap(({ responses }) => responses),
      violations: found.flatMap(({ violations }) => violations),
      overAdmitted: found.reduce((sum, one) => sum + one.overAdmitted, 0),
    });
  },
};
