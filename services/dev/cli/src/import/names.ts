import { modelId } from "@uag/contract/requests/admin-fields";
import type { Live } from "./live.ts";
import type { Plan } from "./plan.ts";

/** Operations of a model that generates text. */
export const generating = ["chat.completions", "messages", "responses"] as const;

/** The id of the model that has a name here, or will have it after the import. */
export function modelNamed({ models, aliases }: Plan, live: Live, name: string): string | undefined {
  const planned = models.find(({ id }) => id === name)?.id ?? aliases.find(({ alias }) => alias === name)?.model;
  return live.models.get(name)?.id ?? planned;
}

/** Plans another name for a model. Nothing is planned if the name is one of the model's already. */
export function planAlias(plan: Plan, live: Live, { model, alias }: { model: string; alias: string }): void {
  const holder = modelNamed(plan, live, alias);
  if (holder === model) return;
  const what = `model name ${alias}`;
  if (holder !== undefined) plan.notes.push({ what, why: `It is a name of the model ${holder} here.` });
  else if (modelId.safeParse(alias).success) plan.aliases.push({ model, alias });
  else
    plan.notes.push({
      what,
      why: "A model's name here has 1 to 200 of a-z, 0-9 and . _ : / - ; clients must use the id.",
    });
}

const million = 1_000_000;
/** Nano-dollars per million units: more decimals are noise of floating-point numbers. */
const decimals = 9;

/** A price per unit as USD per million, by its shortest decimal form. */
export const perMillion = (usd: number): number => Number((usd * million).toFixed(decimals));
