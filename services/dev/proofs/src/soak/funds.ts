import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readBooks } from "@uag/harness/audit/billed";
import type { TestClient } from "@uag/harness/fleet/client";
import { setFault } from "@uag/harness/fleet/faults";
import { newAccount, newKey, setLimits } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { operatorClient } from "@uag/local/operator";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { newOrganization, newShop, openEnvelope, setBudget, setEndUsers } from "./level-keys.ts";

/** The source of a request's money, which may be exhausted. */
export const fundsNames = [
  "budget",
  "level",
  "end-user",
  "envelope",
  "account-end",
  "unpaid",
  "unpriced",
  "capped",
] as const;
export type FundsName = (typeof fundsNames)[number];

/** The load of one source of funds. Every key has limits, so that its requests need permits too. */
export interface Funds extends AsyncDisposable {
  readonly clients: readonly TestClient[];
  /** The model of its requests. Default: the load's own. */
  readonly model?: string;
  readonly body?: object;
  /** Its account, where that is not the fleet's own. */
  readonly accountId?: string;
  /** Receives each response's outcome: money is paid in only after a refusal for insufficient funds. */
  seen(outcome: string): void;
  /** How often its funds were exhausted, according to responses or bills. */
  atEdge(): Promise<number>;
}

/** There is no limit per minute, because a dead process's share would count as used for a minute. */
const limits = { concurrentRequests: 64n };
const body = { max_tokens: 64 };
const feedEveryMs = 250;
/** The holds of a few chat requests, nano-USD. */
const chatPortion = 300_000n;
/** An account whose write-offs exceed the cost of a few requests is refused. */
export const fundsEnv = { WRITE_OFF_LIMIT_NANO_USD: "50000" };
/** Their reported usage is multiplied by the simulator. */
const beyondHoldModel = "gpt-4.1-mini";
const implausibleModel = "gpt-4.1";

interface Feed extends AsyncDisposable {
  /** Requests another payment. */
  ask(): void;
}

/** Pays in on request, at most every 250 ms; a call to a restarting process may fail. */
function feeding(feed: (n: number) => Promise<unknown>): Feed {
  let asked = false;
  const stop = new AbortController();
  const { signal } = stop;
  const loop = async (): Promise<void> => {
    for (let n = 1; !signal.aborted; ) {
      if (asked) {
        asked = false;
        await feed(n++).catch((error: unknown) => {
          if (!(error instanceof GatewayError && error.retryable)) throw error;
        });
      }
      await sleep(feedEveryMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = loop();
  // It is awaited, and its error thrown, at the end.
  running.catch(() => undefined);
  return {
    ask: () => {
      asked = true;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Counts refusals, and asks for money after each. */
function atEdgeOf(refusal: RegExp, feed?: Feed): Pick<Funds, "seen" | "atEdge"> {
  let count = 0;
  return {
    seen: (outcome) => {
      if (!refusal.test(outcome)) return;
      count++;
      feed?.ask();
    },
    atEdge: async () => count,
  };
}

const disposeOf = (feed?: AsyncDisposable): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => await feed?.[Symbol.asyncDispose](),
});

/** A key whose monthly budget is raised a little at a time. */
async function openBudget(fleet: TestFleet, portion: bigint): Promise<Funds> {
  const budgeted = (times: number): Partial<Limits> => ({
    ...limits,
    monthlyBudgetNanoUsd: BigInt(times) * portion,
  });
  const { client, key } = await newKey(fleet, budgeted(1));
  const feed = feeding((n) => setLimits(fleet, key, budgeted(n + 1)));
  return { clients: [client], body, ...atEdgeOf(/ budget_exceeded$/, feed), ...disposeOf(feed) };
}

/** Keys of two teams whose organization's budget is raised a little at a time. */
async function openLevel(fleet: TestFleet, portion: bigint): Promise<Funds> {
  const { id, keys } = await newOrganization(fleet, { teams: 2, amountNanoUsd: portion });
  for (const { budgetId } of keys) await setBudget(fleet, budgetId, 1_000n * portion);
  const feed = feeding((n) => setBudget(fleet, id, BigInt(n + 1) * portion));
  const clients = keys.map(({ client }) => client);
  return { clients, body, ...atEdgeOf(/ budget_exceeded$/, feed), ...disposeOf(feed) };
}

/** Two end users of one key, whose part is raised a little at a time. */
async function openEndUsers(fleet: TestFleet, portion: bigint): Promise<Funds> {
  const shop = await newShop(fleet, portion);
  const feed = feeding((n) => setEndUsers(fleet, shop, BigInt(n + 1) * portion));
  const clients = [shop.client("alice"), shop.client("bob")];
  return { clients, body, ...atEdgeOf(/ budget_exceeded$/, feed), ...disposeOf(feed) };
}

/** Envelopes with a little money, one after another: the next is opened when one is used up, which is closed then. */
async function openEnvelopes(fleet: TestFleet, portion: bigint): Promise<Funds> {
  const { client: opener } = await newKey(fleet, limits);
  const terms = { amountNanoUsd: portion, ttl: 600 };
  const first = await openEnvelope(fleet, opener, terms);
  if (first === undefined) throw new Error("The gateway does not open an envelope.");
  const clients = [first.client];
  let { id } = first;
  const feed = feeding(async () => {
    const next = await openEnvelope(fleet, opener, terms);
    if (next === undefined) return;
    clients[0] = next.client;
    // One that is not closed for want of a response expires.
    await opener.post(`/v1/envelopes/${id}/close`, {}).catch(() => undefined);
    id = next.id;
  });
  return { clients, body, ...atEdgeOf(/ envelope_exhausted$/, feed), ...disposeOf(feed) };
}

interface PoorAccount {
  readonly accountId: string;
  readonly client: TestClient;
  readonly feed: Feed;
}

/** An account that gets a little money at a time. */
async function openPoorAccount(fleet: TestFleet, portion: bigint): Promise<PoorAccount> {
  const { accountId } = (await newAccount(fleet, portion)).key;
  const { client } = await newKey(fleet, limits, accountId);
  const feed = feeding(async (n) => {
    using accounts = operatorClient<AccountServiceServer>(fleet.run, "billing", AccountServiceService);
    await accounts.topUp({ accountId, amountNanoUsd: portion, reference: `feed-${n}`, note: "" });
  });
  return { accountId, client, feed };
}

async function openAccountEnd(fleet: TestFleet, portion: bigint): Promise<Funds> {
  const { client, feed, accountId } = await openPoorAccount(fleet, portion);
  return { clients: [client], accountId, body, ...atEdgeOf(/ insufficient_balance$/, feed), ...disposeOf(feed) };
}

/** The same, with many requests whose cost exceeds their hold; the excess is written off until the next top-up. */
async function openUnpaid(fleet: TestFleet, portion: bigint): Promise<Funds> {
  await setFault(fleet.run.simulator_url, { "usage-lie": 6 }, { model: beyondHoldModel });
  const { client, feed } = await openPoorAccount(fleet, 3n * portion);
  return {
    clients: [client],
    body,
    model: beyondHoldModel,
    ...atEdgeOf(/ (unpaid_usage|insufficient_balance)$/, feed),
    ...disposeOf(feed),
  };
}

/** Usage that costs more than ten times the hold: the hold is charged, and the rest awaits manual settlement. */
async function openUnpriced(fleet: TestFleet): Promise<Funds> {
  await setFault(fleet.run.simulator_url, { "usage-lie": 100_000 }, { model: implausibleModel });
  const { client, key } = await newKey(fleet, limits);
  const atEdge = async (): Promise<number> => {
    const { billed } = await readBooks(fleet.run);
    return billed.filter(({ keyId, pricing }) => keyId === key.id && pricing === Pricing.UNPRICED).length;
  };
  return { clients: [client], body, model: implausibleModel, seen: () => undefined, atEdge, ...disposeOf() };
}

/** A key with fewer concurrent requests than the load sends. */
async function openCapped(fleet: TestFleet): Promise<Funds> {
  const { client } = await newKey(fleet, { concurrentRequests: 3n });
  return { clients: [client], body, ...atEdgeOf(/^429 /), ...disposeOf() };
}

const open: Readonly<Record<FundsName, (fleet: TestFleet, portion: bigint) => Promise<Funds>>> = {
  budget: openBudget,
  level: openLevel,
  "end-user": openEndUsers,
  envelope: openEnvelopes,
  "account-end": openAccountEnd,
  unpaid: openUnpaid,
  unpriced: openUnpriced,
  capped: openCapped,
};

/**
 * Opens a source of funds; disposing it stops paying in.
 * @param portion what is paid in at a time, nano-USD
 */
export const openFunds = (fleet: TestFleet, name: FundsName, portion = chatPortion): Promise<Funds> =>
  open[name](fleet, portion);

/** An account with sufficient money, used through a key with limits and a key without. */
export async function openPlenty(fleet: TestFleet): Promise<Funds> {
  const { client } = await newKey(fleet, limits);
  return { clients: [fleet.client, client], seen: () => undefined, atEdge: async () => 0, ...disposeOf() };
}
