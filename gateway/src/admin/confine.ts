import { GatewayError } from "@uag/contract/errors/gateway-error";
import { pathOf, queryOf } from "@uag/runtime/http/target";
import type { Access, AccountRule } from "./access.ts";
import type { AdminCall } from "./admin.ts";
import { belowBudget } from "./below-budget.ts";
import type { AdminClients } from "./clients.ts";
import { notificationsOf } from "./clients.ts";

/** The call as a token of one account may make it. */
type Confine = (call: AdminCall, account: string) => AdminCall | Promise<AdminCall>;

/** To such a token, other accounts do not exist. */
function requireOwn(owner: string, account: string, text: string): void {
  if (owner !== account) throw new GatewayError("not_found", text, { param: "id" });
}

const denied = (account: string): GatewayError =>
  new GatewayError("permission_denied", `This admin token is limited to the account ${account}.`);

/** Without an account in its query a call concerns the token's own. */
function withAccount(url: string, account: string): string {
  const given = queryOf(url);
  if (given.getAll("account").some((name) => name !== account)) throw denied(account);
  given.set("account", account);
  return `${pathOf(url)}?${given}`;
}

/** A body of another type is refused by the operation's own schema. */
function isObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

async function isOwnSecret(clients: AdminClients, accountId: string, id: string): Promise<boolean> {
  const { secrets } = await notificationsOf(clients).listSecrets({ accountId });
  return secrets.some((secret) => secret.id === id);
}

const confines: Readonly<Record<AccountRule, Confine>> = {
  all: (_call, account) => {
    throw denied(account);
  },
  none: (call) => call,
  path: (call, account) => {
    requireOwn(call.id, account, "The account does not exist.");
    return call;
  },
  query: (call, account) => ({ ...call, url: withAccount(call.url, account) }),
  body: (call, account) => {
    if (!isObject(call.body)) return call;
    const { account_id: given } = call.body;
    if (given !== undefined && given !== account) throw denied(account);
    return { ...call, body: { ...call.body, account_id: account } };
  },
  key: async (call, account) => {
    const { accountId } = await call.clients.keys.getKey({ id: call.id });
    requireOwn(accountId, account, "The key does not exist.");
    return call;
  },
  budget: async (call, account) => {
    const { accountId } = await call.clients.budgets.getBudget({ id: call.id });
    requireOwn(accountId, account, "The budget does not exist.");
    return call;
  },
  envelope: async (call, account) => {
    const scope = { accountId: account, keyId: "" };
    await call.clients.envelopes.getEnvelope({ scope, id: call.id });
    return call;
  },
  request: async (call, account) => {
    const { accountId } = await call.clients.metering.getEvent({ requestId: call.id });
    requireOwn(accountId, account, "The request does not exist.");
    return call;
  },
  alert: async (call, account) => {
    const { accountId } = await call.clients.alerts.getAlert({ id: call.id });
    requireOwn(accountId, account, "The alert does not exist.");
    return call;
  },
  secret: async (call, account) => {
    const own = await isOwnSecret(call.clients, account, call.id);
    requireOwn(own ? account : "", account, "No valid secret with this id exists.");
    return call;
  },
  delivery: async (call, account) => {
    const { accountId } = await notificationsOf(call.clients).getDelivery({ id: call.id });
    requireOwn(accountId, account, "The delivery does not exist.");
    return call;
  },
};

/**
 * The call, restricted to the one account of its token, or to one of its budgets; unchanged for a
 * token of all accounts.
 * @throws {GatewayError} `permission_denied` or `not_found` when it concerns another one
 */
export async function confine(call: AdminCall, { account: rule, budget }: Access): Promise<AdminCall> {
  const { accountId, budgetId } = call.admin;
  if (accountId === "") return call;
  if (budgetId === "") return await confines[rule](call, accountId);
  if (!budget) {
    throw new GatewayError("permission_denied", `This admin token is limited to the budget ${budgetId}.`);
  }
  const clients = belowBudget(call.clients, { accountId, budgetId });
  return await confines[rule]({ ...call, clients }, accountId);
}
