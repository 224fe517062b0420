import type { Live } from "./live.ts";
import type { Plan } from "./plan.ts";
import { type Step, type Steps, shownUsd } from "./step.ts";

/** An account's balance is a top-up whose reference is the account, so that it is credited once. */
export function accountSteps({ accounts }: Plan, live: Live): Pick<Steps, "steps" | "present"> {
  const steps: Step[] = [];
  for (const { id, name, balance } of accounts) {
    const present = live.accounts.get(id);
    if (present === undefined)
      steps.push({
        text: `account ${id} of ${name}`,
        run: async ({ api }) => {
          await api.call("POST", "/accounts", { id, name });
        },
      });
    if (balance !== undefined && Number(present?.topped_up_usd ?? 0) === 0)
      steps.push({
        text: `balance of the account ${id}: ${shownUsd(balance)} USD`,
        run: async ({ api }) => {
          await api.call("POST", `/accounts/${id}/top-ups`, { amount_usd: balance, reference: `import/${id}` });
        },
      });
  }
  const present = accounts.filter(({ id }) => live.accounts.has(id)).map(({ id }) => `account ${id}`);
  return { steps, present };
}
