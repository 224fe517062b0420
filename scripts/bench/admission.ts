import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { Bus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { createAdmission } from "@uag/usage/admission";

/**
 * CPU of one admit + started + settle in one process, with the real journal in the temporary
 * directory, a billing that grants every request, and no broker: for a key without limits, and for
 * one with a limit of each kind. `node scripts/bench/admission.ts [requests] [concurrency]`
 */
const requests = Number(process.argv[2] ?? 200_000);
const concurrency = Number(process.argv[3] ?? 64);
const log = createLogger({ service: "bench", level: "error" });
const dir = await mkdtemp(join(tmpdir(), "bench-admission-"));
let grants = 0;
const billing = await serveRpc({
  identity: insecure,
  host: "127.0.0.1",
  port: 0,
  services: [
    unaryService<GrantServiceServer>(
      GrantServiceService,
      {
        acquire: async ({ wantNanoUsd }) => ({
          grantId: `grant_${++grants}`,
          amountNanoUsd: wantNanoUsd,
          availableNanoUsd: 10n ** 15n,
          scarce: false,
          insufficient: false,
          budgetExceeded: false,
          owedNanoUsd: 0n,
        }),
        returnMany: async ({ returns }) => ({ outcomes: returns.map(() => ({ refused: "", again: false })) }),
        return: async () => ({}),
        heartbeat: async () => ({ leaseMs: 15_000, nowMs: BigInt(Date.now()) }),
        closeHolder: async () => ({ grantsClosed: 0 }),
        isHolderGone: async () => ({ gone: true }),
      },
      log,
    ),
    unaryService<LimitServiceServer>(
      LimitServiceService,
      {
        borrow: async ({ want }) => ({ lent: want > 0n ? [{ count: want, freeInMs: 0 }] : [], retryAfterMs: 0 }),
        renew: async () => ({ leaseMs: 4_000, lapsed: false }),
      },
      log,
    ),
  ],
});
const bus = {
  connected: false,
  subscribe: () => undefined,
  onChange: () => undefined,
} as unknown as Bus;
const admission = await createAdmission({
  identity: insecure,
  service: "bench",
  billing: { address: `127.0.0.1:${billing.port}` },
  metering: { address: "127.0.0.1:1" },
  bus,
  journalDir: dir,
  journalMaxBytes: 8 * 1024 ** 3,
  log,
  metrics: createMetrics("bench"),
});

const unlimited = { keyId: "key_1", accountId: "acct_1", models: [], expiresAtMs: 0n, limits: undefined, version: 1n };
const limits = {
  requestsPerMinute: 100_000_000n,
  tokensPerMinute: 1_000_000_000_000n,
  concurrentRequests: 10_000n,
  monthlyBudgetNanoUsd: 0n,
};
const limited = { ...unlimited, keyId: "key_2", limits };
const rawUsage = Buffer.from(JSON.stringify({ prompt_tokens: 1_234, completion_tokens: 567, total_tokens: 1_801 }));
let next = 0;

async function worker(until: number, caller: Caller): Promise<void> {
  while (next < until) {
    const admitted = await admission.admit({
      requestId: `req_${next++}`,
      caller,
      operation: "chat.completions",
      model: "gamma-chat",
      holdNanoUsd: 20_000_000n,
      tokens: 2_000,
      priceVersion: "v1",
      stream: false,
    });
    await admitted.flushStarted();
    await admitted.settle({
      settlementRule: SettlementRule.COMPLETED,
      outcome: Outcome.COMPLETED,
      pricing: Pricing.EXACT,
      units: [
        { name: "input_tokens", quantity: 1_234n },
        { name: "output_tokens", quantity: 567n },
      ],
      costNanoUsd: 1_500_000n,
      upstream: "openai",
      upstreamModel: "gpt-x",
      rawUsage,
      attempts: 1,
      failedAttempts: [],
      status: 200,
    });
  }
}

async function measure(count: number, caller: Caller): Promise<string> {
  const until = next + count;
  const cpu = process.cpuUsage();
  const since = performance.now();
  await Promise.all(Array.from({ length: concurrency }, () => worker(until, caller)));
  const seconds = (performance.now() - since) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return `${(user / count).toFixed(1)} us user + ${(system / count).toFixed(1)} us system per request, ${Math.round(count / seconds)} requests/s`;
}

for (const [name, caller] of [
  ["unlimited", unlimited],
  ["limited", limited],
] as const) {
  await measure(Math.ceil(requests / 10), caller);
  process.stdout.write(
    `admit + started + settle, ${name}, concurrency ${concurrency}: ${await measure(requests, caller)}\n`,
  );
}
await rm(dir, { recursive: true, force: true });
process.exit(0);
