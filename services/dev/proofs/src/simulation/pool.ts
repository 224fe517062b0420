import assert from "node:assert/strict";
import { parseCatalog } from "@uag/catalog/parse";
import type { Upstream } from "@uag/catalog/types";
import { callSpend } from "@uag/pipeline/operation/call-spend";
import type { CredentialHealth } from "@uag/providers/credentials/credential-health";
import { RequestCredentials } from "@uag/providers/credentials/request-credentials";
import { UpstreamFailure } from "@uag/providers/failure";
import type { Admitted } from "@uag/usage/types";

/** Three credentials with caps of a few requests; the last is only used when no other is available. */
const catalog = parseCatalog(
  `
providers:
  pooled:
    protocol: openai
    base_url: "http://pooled.test/v1"
    credentials:
      - { name: heavy, api_key: k1, weight: 3, daily_cap_usd: 0.0000012, monthly_cap_usd: 0.000002 }
      - { name: light, api_key: k2, weight: 1, daily_cap_usd: 0.0000008 }
      - { name: spare, api_key: k3, priority: 1, monthly_cap_usd: 0.0000015 }
models:
  - id: m
    owned_by: o
    created: 0
    operations: [chat.completions]
    context_tokens: 1000
    max_output_tokens: 100
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: pooled }]
`,
  {},
);
const model = catalog.models.get("m") ?? assert.fail("the model does not exist");
const upstream = model.upstreams[0] ?? assert.fail("the model has no upstream");

/** The upstream with each of its credentials. */
export const pool = upstream.pool ?? assert.fail("the provider has no pool");

const rejections = ["operator", "quota", "capacity"] as const;
/** Share of the calls, 1/n, that the provider rejects, each for its credential. */
const rejected = 12;

interface PoolRequest {
  readonly open: Admitted;
  readonly health: CredentialHealth;
  /** The most that it can cost, nano-USD. */
  readonly hold: bigint;
  /** Its process died, or it has ended otherwise. */
  isOver(): boolean;
}

/** Counts of the calls of all processes. */
export interface PoolCounts {
  calls: number;
  rejections: number;
  /** Requests that no credential's cap covered. */
  refused: number;
}

/** Calls of a provider with several credentials: the real choice, cooldowns and spend caps. */
export class PoolCalls {
  readonly counts: PoolCounts = { calls: 0, rejections: 0, refused: 0 };
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  /** Resolves to the upstream that responds; undefined if none does. */
  async call({ open, health, hold, isOver }: PoolRequest): Promise<Upstream | undefined> {
    const spend = callSpend(open, model, () => hold);
    assert.ok(spend !== undefined, "the caps of the pool are not checked");
    const choice = { affinity: this.#random(2 ** 32), isConversation: false, tokens: 1, spend };
    const credentials = new RequestCredentials(health, choice);
    await spend.prepare(model.upstreams);
    if (isOver()) return undefined;
    if (credentials.isOver(upstream)) {
      this.counts.refused++;
      return undefined;
    }
    let called: Upstream | undefined = credentials.first(upstream).one;
    while (called !== undefined) {
      const { id } = called.provider.credential;
      assert.ok(!spend.isOver(called), `${id} is called although its caps do not cover the call`);
      this.#checkCooldown(called, health, (one) => spend.isOver(one));
      credentials.began(called);
      credentials.ended(called);
      this.counts.calls++;
      if (this.#random(rejected) > 0) {
        health.succeeded(called);
        return called;
      }
      this.counts.rejections++;
      health.failed(called, new UpstreamFailure(rejections[this.#random(3)] ?? "quota", "rejected"));
      called = credentials.another(called);
    }
    return undefined;
  }

  /** @throws {AssertionError} when a credential is called that cools down although another does not */
  #checkCooldown(called: Upstream, health: CredentialHealth, isOver: (one: Upstream) => boolean): void {
    if (health.availableFrom(called, 1) === 0) return;
    const other = pool.find((one) => !isOver(one) && health.availableFrom(one, 1) === 0);
    assert.equal(other, undefined, `${called.provider.credential.id} is called although it cools down`);
  }
}
