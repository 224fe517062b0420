import type { TestClient } from "@uag/harness/fleet/client";
import { newAccount } from "@uag/harness/fleet/limited-key";
import { counterOf } from "@uag/harness/fleet/metrics";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { operatorClient } from "@uag/local/operator";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { exactBody, exactCost } from "./exact-funds.ts";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, type LoadResponse } from "./load.ts";
import { exactModel, type Proof, type ProofOptions } from "./proof.ts";

/** Senders that pay for their requests before they send them, so that all the money is needed. */
const senders = 4;
const requestsAtOnce = 32;
const maxRetriedShare = 0.01;

interface Sender extends Pick<ProofOptions, "random"> {
  readonly client: TestClient;
  /** Adds money for this many requests. */
  readonly pay: (requests: number) => Promise<void>;
}

async function payAndSend({ client, pay, random }: Sender, untilMs: number): Promise<LoadResponse[]> {
  const responses: LoadResponse[] = [];
  while (performance.now() < untilMs) {
    await pay(requestsAtOnce);
    const load = new Load({
      clients: [client],
      kinds: ["json"],
      concurrency: requestsAtOnce,
      requests: requestsAtOnce,
      random,
      model: exactModel,
      body: exactBody,
    });
    await load.ended();
    responses.push(...load.responses);
  }
  return responses;
}

/** Of all billing processes together. */
async function transactionsOf(fleet: TestFleet): Promise<{ committed: number; retried: number }> {
  const sumOf = async (metric: string): Promise<number> => {
    const counts = await Promise.all(["billing", "billing-2"].map((process) => counterOf(fleet, process, metric)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const [committed, retried] = await Promise.all([
    sumOf("uag_billing_transactions_total"),
    sumOf("uag_billing_transaction_retries_total"),
  ]);
  return { committed, retried };
}

/**
 * One account whose balance never exceeds the cost of its requests in flight: every refusal is
 * wrong, because each request was paid for before it was sent.
 */
async function proveHotAccount({ fleet, seconds, random }: ProofOptions): Promise<Figures> {
  const { client, key } = await newAccount(fleet, exactCost);
  using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
  let references = 0;
  const pay = async (requests: number): Promise<void> => {
    const amountNanoUsd = BigInt(requests) * exactCost;
    const topUp = { accountId: key.accountId, amountNanoUsd, reference: `payment-${++references}`, note: "" };
    await accounts.topUp(topUp, { timeoutMs: 30_000, affinity: key.accountId });
  };
  const before = await transactionsOf(fleet);
  const began = performance.now();
  const sender = { client, pay, random };
  const sent = Array.from({ length: senders }, () => payAndSend(sender, began + seconds * 1_000));
  const responses = (await Promise.all(sent)).flat();
  const took = (performance.now() - began) / 1_000;
  const after = await transactionsOf(fleet);
  const [committed, retried] = [after.committed - before.committed, after.retried - before.retried];
  const violations = responses
    .filter(({ outcome }) => outcome !== "completed")
    .map(({ outcome }) => `A request with sufficient money ended with "${outcome}".`);
  const share = retried / committed;
  if (committed === 0) violations.push("No transaction was counted.");
  if (share > maxRetriedShare) violations.push(`${retried} of ${committed} transactions were retried.`);
  const figures = await collectFigures(fleet, { responses, violations });
  return {
    ...figures,
    notes: [
      `${Math.round(responses.length / took)} requests/s; ${retried} of ${committed} billing transactions were retried (${(share * 100).toFixed(2)} %)`,
    ],
  };
}

export const hotAccount: Proof = {
  name: "hot-account",
  about: "one account at full rate with a balance near zero, and two billing processes: no false 402, few retries",
  replicas: { billing: 2, metering: 2 },
  seconds: 120,
  run: proveHotAccount,
};
