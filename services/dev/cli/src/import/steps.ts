import { hintOf } from "@uag/catalog/credential";
import { newKey } from "@uag/contract/responses/admin";
import { UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { accountSteps } from "./account-steps.ts";
import type { Live } from "./live.ts";
import type { Plan, PlannedBudget, PlannedKey } from "./plan.ts";
import { type AccountOf, type Run, type Step, type Steps, shownUsd } from "./step.ts";

const made = z.object({ id: z.string() });

const periodText = { day: "a day", week: "a week", month: "a month", total: "in total" } as const;

/** The id of a budget that the plan names. @throws {UserError} when it could not be created */
function budgetId(budgets: ReadonlyMap<string, string>, ref: string | undefined): string | null {
  if (ref === undefined) return null;
  const id = budgets.get(ref);
  if (id === undefined) throw new UserError("Its budget was not created.");
  return id;
}

function budgetStep(budget: PlannedBudget, account: string): Step {
  const { ref, name, parent, amount, period, limits } = budget;
  return {
    text: `budget ${name}: ${shownUsd(amount)} USD ${periodText[period]}`,
    async run({ api, budgets }) {
      const fields = {
        account_id: account,
        name,
        parent_id: budgetId(budgets, parent),
        max_budget: amount,
        period,
        ...limits,
      };
      budgets.set(ref, made.parse(await api.call("POST", "/budgets", fields)).id);
    },
  };
}

/** Budgets have no id of the client's choice: one of the same name, account and parent is the same. */
function budgetSteps(plan: Plan, live: Live, accountOf: AccountOf): Steps {
  const found: Steps = { steps: [], present: [], budgets: new Map() };
  for (const budget of plan.budgets) {
    const { ref, name, parent } = budget;
    const account = accountOf(budget.account);
    const parentId = parent === undefined ? null : found.budgets.get(parent);
    const same = live.budgets.find(
      (each) => each.name === name && each.account_id === account && each.parent_id === parentId,
    );
    if (same === undefined) found.steps.push(budgetStep(budget, account));
    else {
      found.budgets.set(ref, same.id);
      found.present.push(`budget ${name}`);
    }
  }
  return found;
}

function keyStep({ origin, hint, budget, fields }: PlannedKey, account: string): Step {
  return {
    text: `key ${fields.key_alias} in place of ${hint}`,
    async run({ api, mapping, budgets }) {
      const metadata = { ...fields.metadata, imported_from: origin };
      const body = { ...fields, account_id: account, metadata, budget_id: budgetId(budgets, budget) };
      const { id, key } = newKey.parse(await api.call("POST", "/keys", body));
      await mapping.add({
        name: fields.key_alias,
        old_key: hint,
        imported_from: origin,
        account_id: account,
        key_id: id,
        key,
      });
    },
  };
}

function providerSteps({ providers, credentials }: Plan, live: Live): Pick<Steps, "steps" | "present"> {
  const has = (provider: string, secret: string): boolean =>
    live.providers.get(provider)?.credentials.some(({ hint }) => hint === hintOf(secret)) === true;
  const fresh = providers.filter(({ id }) => !live.providers.has(id));
  const missing = credentials.filter(({ provider, secret }) => !has(provider, secret));
  return {
    present: [
      ...providers.filter(({ id }) => live.providers.has(id)).map(({ id }) => `provider ${id}`),
      ...credentials.filter((each) => has(each.provider, each.secret)).map(({ provider }) => `key of ${provider}`),
    ],
    steps: [
      ...fresh.map(
        ({ id, template, baseUrl }): Step => ({
          text: `provider ${id} at ${baseUrl ?? live.templates.get(template)}`,
          run: async ({ api }) => {
            await api.call("POST", "/providers", { id, template, ...(baseUrl !== undefined && { base_url: baseUrl }) });
          },
        }),
      ),
      ...missing.map(
        ({ provider, secret, share }): Step => ({
          text: `key ${hintOf(secret)} of the provider ${provider}`,
          run: async ({ api }) => {
            await api.call("POST", `/providers/${provider}/credentials`, { api_key: secret, ...share });
          },
        }),
      ),
    ],
  };
}

const revisionOf = z.object({ revision: z.number(), aliases: z.array(z.string()).default([]) });

/** Changes a model as it is by then: earlier steps may have changed it. */
async function patchModel({ api }: Run, id: string, change: (aliases: readonly string[]) => object): Promise<void> {
  const path = `/models/${encodeURIComponent(id)}`;
  const { revision, aliases } = revisionOf.parse(await api.call("GET", path));
  await api.call("PATCH", path, { revision, ...change(aliases) });
}

function modelSteps({ models, aliases, fallbacks }: Plan, live: Live): Pick<Steps, "steps" | "present"> {
  const fresh = models.filter(({ id }) => !live.models.has(id));
  const named = aliases.filter(({ alias }) => !live.models.has(alias));
  const chains = fallbacks.filter(({ model }) => (live.models.get(model)?.fallbacks ?? []).length === 0);
  return {
    present: [
      ...models.filter(({ id }) => live.models.has(id)).map(({ id }) => `model ${id}`),
      ...aliases.filter(({ alias }) => live.models.has(alias)).map(({ alias }) => `alias ${alias}`),
    ],
    steps: [
      ...fresh.map(
        ({ id, fields }): Step => ({
          text: `model ${id} at ${fields.upstreams.map(({ provider }) => provider).join(", ")}`,
          run: async ({ api }) => {
            await api.call("POST", "/models", { id, ...fields });
          },
        }),
      ),
      ...named.map(
        ({ model, alias }): Step => ({
          text: `alias ${alias} of ${model}`,
          run: (run) => patchModel(run, model, (present) => ({ aliases: [...present, alias] })),
        }),
      ),
      ...chains.map(
        ({ model, fallbacks: chain }): Step => ({
          text: `fallbacks of ${model}: ${chain.join(", ")}`,
          run: (run) => patchModel(run, model, () => ({ fallbacks: chain })),
        }),
      ),
    ],
  };
}

/**
 * What is left of a plan, in an order in which each step is possible. Nothing that the gateway has
 * is changed, so an import can be repeated.
 */
export function stepsOf(plan: Plan, live: Live, accountOf: AccountOf): Steps {
  const budgets = budgetSteps(plan, live, accountOf);
  const fresh = plan.keys.filter(({ origin }) => !live.imported.has(origin));
  const known = plan.keys.filter(({ origin }) => live.imported.has(origin));
  const parts = [providerSteps(plan, live), modelSteps(plan, live), accountSteps(plan, live), budgets];
  return {
    budgets: budgets.budgets,
    steps: [...parts.flatMap(({ steps }) => steps), ...fresh.map((key) => keyStep(key, accountOf(key.account)))],
    present: [
      ...parts.flatMap(({ present }) => present),
      ...known.map(({ origin, fields }) => `key ${fields.key_alias} (${live.imported.get(origin)?.id})`),
    ],
  };
}
