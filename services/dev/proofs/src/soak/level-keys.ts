import { endUserHeader } from "@uag/contract/end-users";
import { fetchAdmin } from "@uag/harness/fleet/admin-call";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";

/** A key of a team, below its organization's budget. */
export interface TeamKey {
  readonly client: TestClient;
  readonly budgetId: string;
}

/** An organization's budget, with teams below it that have as much, and a key in each. */
export interface Organization {
  readonly id: string;
  readonly keys: readonly TeamKey[];
}

interface OrganizationOptions {
  readonly teams: number;
  readonly amountNanoUsd: bigint;
}

const nanoUsd = 1_000_000_000;
const usdOf = (amountNanoUsd: bigint): string => (Number(amountNanoUsd) / nanoUsd).toFixed(9);

/**
 * Sends a request; undefined when the gateway does not respond now.
 * @throws when it is refused
 */
async function ask<T>(path: string, send: () => Promise<{ status: number; text: string }>): Promise<T | undefined> {
  const response = await send().catch(() => undefined);
  if (response === undefined || response.status >= 500) return undefined;
  if (response.status >= 400) throw new Error(`${path} was refused: ${response.text}`);
  return JSON.parse(response.text) as T;
}

function admin<T>({ run }: TestFleet, method: string, path: string, body: object): Promise<T | undefined> {
  return ask(path, async () => {
    const response = await fetchAdmin(run, method, path, body);
    return { status: response.status, text: await response.text() };
  });
}

/** @throws when the gateway does not respond */
async function made<T>(fleet: TestFleet, path: string, body: object): Promise<T> {
  const found = await admin<T>(fleet, "POST", path, body);
  if (found === undefined) throw new Error(`The gateway does not respond to ${path}.`);
  return found;
}

/** Of the fleet's own account. */
export async function newOrganization(
  fleet: TestFleet,
  { teams, amountNanoUsd }: OrganizationOptions,
): Promise<Organization> {
  const { account_id, base_url: baseUrl } = fleet.run;
  const budget = { account_id, max_budget: usdOf(amountNanoUsd), period: "total" };
  const { id } = await made<{ id: string }>(fleet, "/budgets", { ...budget, name: "Organization" });
  const keys: TeamKey[] = [];
  for (let team = 1; team <= teams; team++) {
    const own = await made<{ id: string }>(fleet, "/budgets", { ...budget, name: `Team ${team}`, parent_id: id });
    const { key } = await made<{ key: string }>(fleet, "/keys", { account_id, budget_id: own.id });
    keys.push({ client: createTestClient({ baseUrl, apiKey: key }), budgetId: own.id });
  }
  return { id, keys };
}

/** A key in a budget with enough for all, of which each end user has a part. */
export interface Shop {
  readonly budgetId: string;
  /** Names this end user in every request. */
  client(endUser: string): TestClient;
}

/** Of the fleet's own account. */
export async function newShop(fleet: TestFleet, amountNanoUsd: bigint): Promise<Shop> {
  const { account_id, base_url: baseUrl } = fleet.run;
  const endUsers = endUsersOf(amountNanoUsd);
  const { id } = await made<{ id: string }>(fleet, "/budgets", {
    account_id,
    name: "Shop",
    max_budget: "1000000",
    period: "total",
    end_users: endUsers,
  });
  const { key: apiKey } = await made<{ key: string }>(fleet, "/keys", { account_id, budget_id: id });
  const client = (endUser: string): TestClient =>
    createTestClient({ baseUrl, apiKey, headers: { [endUserHeader]: endUser } });
  return { budgetId: id, client };
}

const endUsersOf = (amountNanoUsd: bigint) => ({ max_budget: usdOf(amountNanoUsd), period: "total", required: true });

/** Gives each end user of a shop another amount, if the gateway responds now. */
export async function setEndUsers(fleet: TestFleet, { budgetId }: Shop, amountNanoUsd: bigint): Promise<void> {
  await admin(fleet, "PATCH", `/budgets/${budgetId}`, { end_users: endUsersOf(amountNanoUsd) });
}

/** Gives a budget another amount, if the gateway responds now. */
export async function setBudget(fleet: TestFleet, id: string, amountNanoUsd: bigint): Promise<void> {
  await admin(fleet, "PATCH", `/budgets/${id}`, { max_budget: usdOf(amountNanoUsd) });
}

/**
 * Opens an envelope; undefined when the gateway does not respond now.
 * @throws when it is refused
 */
export async function openEnvelope(
  { run }: TestFleet,
  opener: TestClient,
  { amountNanoUsd, ttl }: { readonly amountNanoUsd: bigint; readonly ttl: number },
): Promise<{ readonly id: string; readonly client: TestClient } | undefined> {
  const path = "/v1/envelopes";
  const terms = { max_usd: usdOf(amountNanoUsd), ttl };
  const opened = await ask<{ id: string; key: string }>(path, () => opener.post(path, terms));
  return opened && { id: opened.id, client: createTestClient({ baseUrl: run.base_url, apiKey: opened.key }) };
}
