import type { Live } from "../live.ts";
import { planAlias } from "../names.ts";
import type { Plan } from "../plan.ts";
import type { Activity, Model } from "./records.ts";

/** Vendors in the names of OpenRouter's models, and the provider of their models here. */
const vendors: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "gemini",
  "x-ai": "xai",
  moonshotai: "moonshot",
  deepseek: "deepseek",
  qwen: "dashscope",
};

/**
 * The id here of a model such as `anthropic/claude-sonnet-4.5`: its own name here, or a model of its
 * vendor with the same name. A variant, such as `:free`, has another price, so it is another model.
 */
export function modelOf({ models }: Live, slug: string): string | undefined {
  const own = models.get(slug);
  if (own !== undefined) return own.id;
  const [vendor = "", name = ""] = slug.split("/");
  const found = models.get(name) ?? models.get(name.replaceAll(".", "-"));
  const provider = Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined;
  return found?.providers.some((each) => each.provider === provider) === true ? found.id : undefined;
}

const byHand = "This gateway has no such model. Add it: npm run models -- add.";

/** Plans OpenRouter's names of the models that are here; notes the others, those that were used one by one. */
export function planModels(
  plan: Plan,
  live: Live,
  { models, activity }: { readonly models: readonly Model[]; readonly activity: readonly Activity[] },
): void {
  const used = new Map<string, number>();
  for (const { model, requests } of activity) used.set(model, (used.get(model) ?? 0) + requests);
  let others = 0;
  for (const slug of new Set([...used.keys(), ...models.map(({ id }) => id)])) {
    const model = modelOf(live, slug);
    if (model !== undefined) planAlias(plan, live, { model, alias: slug });
    else if (used.has(slug)) plan.notes.push({ what: `model ${slug} (${used.get(slug)} requests)`, why: byHand });
    else others++;
  }
  if (others > 0)
    plan.notes.push({
      what: `${others} other models of OpenRouter`,
      why: "This gateway does not have them, and the activity has no request to them.",
    });
}
