/** npm run bench -- --scenario routing: what choosing among credentials and upstreams costs a request. */
import { setImmediate } from "node:timers/promises";
import { parseCatalog } from "@uag/catalog/parse";
import type { Model } from "@uag/catalog/types";
import { attempt } from "@uag/providers/attempt";
import { UpstreamHealth } from "@uag/providers/health";
import { RetryBudget } from "@uag/providers/retry-budget";
import { formatNumber } from "./report.ts";

const rounds = 21;
const requestsPerRound = 20_000;
const warmUpRounds = 5;

interface Variant {
  readonly title: string;
  readonly model: Model;
  readonly health: UpstreamHealth;
  readonly budget: RetryBudget;
  /** Microseconds of processor time per request, for each round. */
  readonly cpuUs: number[];
}

/** Providers, and the credentials of each; the first is what the others are compared with. */
const shapes = [
  [1, 1],
  [1, 2],
  [1, 8],
  [1, 16],
  [2, 1],
  [4, 8],
] as const;

function variantOf([providers, credentials]: (typeof shapes)[number]): Variant {
  const rows = Array.from({ length: providers }, (_, at) => {
    const keys = Array.from({ length: credentials }, (_, key) => `{ name: k${key}, api_key: key-${at}-${key} }`);
    return `  p${at}: { protocol: openai, base_url: "http://127.0.0.1:9/v1", credentials: [${keys.join(", ")}] }`;
  });
  const upstreams = Array.from({ length: providers }, (_, at) => `{ provider: p${at}, model: m }`);
  const catalog = parseCatalog(
    `providers:\n${rows.join("\n")}\nmodels:\n  - { id: m, owned_by: o, created: 0, operations: [chat.completions], ` +
      `context_tokens: 9, max_output_tokens: 9, price: { input_tokens: 1, output_tokens: 1 }, upstreams: [${upstreams.join(", ")}] }\n`,
    {},
  );
  const model = catalog.models.get("m");
  if (model === undefined) throw new Error("the model of the benchmark is missing");
  const title = `${providers} ${providers === 1 ? "provider" : "providers"} x ${credentials}`;
  return { title, model, health: new UpstreamHealth(), budget: new RetryBudget(), cpuUs: [] };
}

const limits: Readonly<Record<string, string>> = {
  "x-ratelimit-limit-requests": "1000000",
  "x-ratelimit-remaining-requests": "999999",
  "x-ratelimit-reset-requests": "60ms",
  "x-ratelimit-limit-tokens": "100000000",
  "x-ratelimit-remaining-tokens": "99999999",
  "x-ratelimit-reset-tokens": "60ms",
};
const response = { header: (name: string): string | undefined => limits[name] };

/** Requests of different conversations, one after the other; each call responds at once and reports its limits. */
async function run({ model: { upstreams }, health, budget }: Variant, signal: AbortSignal): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < requestsPerRound; i++) {
    await attempt({
      upstreams,
      health,
      budget,
      signal,
      affinity: Math.imul(i, 0x9e3779b1) >>> 0,
      tokens: 2_000,
      call: async (upstream) => health.credentials.observe(upstream, response),
    });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requestsPerRound;
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * The processor time of a request's routing: choosing the upstream and the credential, and accounting
 * for the call, as in production, with a provider that responds at once. The variants take turns, so
 * that a busy minute affects all of them. Returns a table.
 */
export async function benchRouting(signal: AbortSignal): Promise<string> {
  const variants = shapes.map(variantOf);
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const variant of variants) {
      signal.throwIfAborted();
      const cpuUs = await run(variant, signal);
      if (round >= 0) variant.cpuUs.push(cpuUs);
      await setImmediate();
    }
  }
  const alone = medianOf(variants[0]?.cpuUs ?? []);
  const rows = variants.map(({ title, cpuUs }) => {
    const median = medianOf(cpuUs);
    const cells = [median, median - alone, median / alone].map((value) => formatNumber(value).padStart(10));
    return `${title.padEnd(18)}${cells.join("")}`;
  });
  const head = `${"credentials".padEnd(18)}${["us/request", "added us", "ratio"].map((name) => name.padStart(10)).join("")}`;
  const about = `median of ${rounds} rounds of ${requestsPerRound} requests each, processor time, Node ${process.version}`;
  return `${[head, ...rows].join("\n")}\n${about}\n`;
}
