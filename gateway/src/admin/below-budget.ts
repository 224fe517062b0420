import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Budget } from "@uag/proto/billing/v1/budgets.ts";
import type { EnvelopeScope } from "@uag/proto/billing/v1/envelopes.ts";
import type { KeySet } from "@uag/proto/metering/v1/metering.ts";
import type { AdminClients } from "./clients.ts";

/** The budget that a token is limited to. */
interface Limit {
  readonly accountId: string;
  readonly budgetId: string;
}

interface KeyFilter {
  readonly keyId: string;
  readonly keys?: KeySet | undefined;
}

const denied = (text: string, param: string): GatewayError => new GatewayError("permission_denied", text, { param });

const unknown = (what: string, param = "id"): GatewayError =>
  new GatewayError("not_found", `The ${what} does not exist.`, { param });

/**
 * The id of a budget that a request names, or of the token's own where it names none.
 * @throws {GatewayError} `not_found` for a budget that is not below the token's own
 */
async function ownBudget(
  { budgets }: Pick<AdminClients, "budgets">,
  { budgetId }: Limit,
  { id, param }: { readonly id: string | undefined; readonly param: string },
): Promise<string> {
  if (id === undefined || id === "" || id === budgetId) return budgetId;
  const { chain } = await budgets.getBudget({ id }).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === "not_found") throw unknown("budget", param);
    throw error;
  });
  if (!chain.includes(budgetId)) throw unknown("budget", param);
  return id;
}

function keysBelow(clients: AdminClients, limit: Limit): AdminClients["keys"] {
  const { keys } = clients;
  const { budgetId } = limit;
  const own = (id: string | undefined) => ownBudget(clients, limit, { id, param: "budget_id" });
  return {
    ...keys,
    async getKey(request, options) {
      const key = await keys.getKey(request, options);
      if (!key.budgetIds.includes(budgetId)) throw unknown("key");
      return key;
    },
    listKeys: (request, options) => keys.listKeys({ ...request, budgetId }, options),
    createKey: async (request, options) =>
      await keys.createKey({ ...request, budgetId: await own(request.budgetId) }, options),
    async updateKey(request, options) {
      if (!request.fields.includes("budget_id")) return await keys.updateKey(request, options);
      if (!request.budgetId) throw denied(`budget_id: the key must stay below the budget ${budgetId}.`, "budget_id");
      return await keys.updateKey({ ...request, budgetId: await own(request.budgetId) }, options);
    },
  };
}

function budgetsBelow(clients: AdminClients, limit: Limit): AdminClients["budgets"] {
  const { budgets } = clients;
  const { budgetId } = limit;
  /** What is above the token's budget is not shown. */
  const shown = (budget: Budget): Budget => (budget.id === budgetId ? { ...budget, parentId: "" } : budget);
  const refuseOwn = ({ id }: { readonly id: string }): void => {
    if (id === budgetId) throw denied("This admin token can change only budgets below its own.", "id");
  };
  return {
    ...budgets,
    async getBudget(request, options) {
      const budget = await budgets.getBudget(request, options);
      if (!budget.chain.includes(budgetId)) throw unknown("budget");
      return shown(budget);
    },
    async listBudgets(request, options) {
      const page = await budgets.listBudgets({ ...request, budgetId }, options);
      return { ...page, budgets: page.budgets.map(shown) };
    },
    createBudget: async (request, options) => {
      const parentId = await ownBudget(clients, limit, { id: request.parentId, param: "parent_id" });
      return await budgets.createBudget({ ...request, parentId }, options);
    },
    updateBudget: async (request, options) => {
      refuseOwn(request);
      return await budgets.updateBudget(request, options);
    },
    deleteBudget: async (request, options) => {
      refuseOwn(request);
      return await budgets.deleteBudget(request, options);
    },
  };
}

function envelopesBelow({ envelopes }: AdminClients, limit: Limit): AdminClients["envelopes"] {
  const below = <R extends { readonly scope?: EnvelopeScope | undefined }>(request: R): R => ({
    ...request,
    scope: { ...limit, keyId: "" },
  });
  return {
    ...envelopes,
    getEnvelope: (request, options) => envelopes.getEnvelope(below(request), options),
    listEnvelopes: (request, options) => envelopes.listEnvelopes(below(request), options),
    closeEnvelope: (request, options) => envelopes.closeEnvelope(below(request), options),
  };
}

/** Usage and refusals are counted by key: a filter has the keys below the budget that it would match. */
function usageBelow(
  { keys, metering, refusals, usageAdmin }: AdminClients,
  { budgetId }: Limit,
): Pick<AdminClients, "metering" | "refusals" | "usageAdmin"> {
  // An export reads many pages with one filter.
  const found = new Map<string, ReadonlySet<string>>();
  const idsOf = async (keyId: string): Promise<ReadonlySet<string>> => {
    const ids = found.get(keyId) ?? new Set((await keys.listKeyIds({ budgetId, keyId })).ids);
    found.set(keyId, ids);
    return ids;
  };
  const within = async <F extends KeyFilter>({
    filter,
  }: {
    readonly filter?: F | undefined;
  }): Promise<{ filter: F & { keys: KeySet } }> => {
    if (filter === undefined) throw new Error("a query of usage must have a filter");
    const below = await idsOf(filter.keyId);
    const ids = (filter.keys?.ids ?? [...below]).filter((id) => below.has(id));
    return { filter: { ...filter, keyId: "", keys: { ids } } };
  };
  return {
    metering: {
      ...metering,
      queryUsage: async (request, options) =>
        await metering.queryUsage({ ...request, ...(await within(request)) }, options),
      querySeries: async (request, options) =>
        await metering.querySeries({ ...request, ...(await within(request)) }, options),
      listEvents: async (request, options) =>
        await metering.listEvents({ ...request, ...(await within(request)) }, options),
      async getEvent(request, options) {
        const event = await metering.getEvent(request, options);
        if (!(await idsOf(event.keyId)).has(event.keyId)) throw unknown("request");
        return event;
      },
    },
    refusals: {
      ...refusals,
      listRefusals: async (request, options) =>
        await refusals.listRefusals({ ...request, ...(await within(request)) }, options),
      queryRefusals: async (request, options) =>
        await refusals.queryRefusals({ ...request, ...(await within(request)) }, options),
    },
    usageAdmin: {
      ...usageAdmin,
      exportEvents: async (request, options) =>
        await usageAdmin.exportEvents({ ...request, ...(await within(request)) }, options),
    },
  };
}

/**
 * The services, as a token of one budget may use them: what it lists, reads, creates and changes is
 * its budget or below it. Everything else looks nonexistent.
 */
export const belowBudget = (clients: AdminClients, limit: Limit): AdminClients => ({
  ...clients,
  keys: keysBelow(clients, limit),
  budgets: budgetsBelow(clients, limit),
  envelopes: envelopesBelow(clients, limit),
  ...usageBelow(clients, limit),
});
