import type { Live } from "../live.ts";
import { generating, modelNamed, perMillion, planAlias } from "../names.ts";
import type { Plan } from "../plan.ts";
import { planProvider } from "../providers.ts";
import type { Deployment, Served } from "./deployments.ts";

/** LiteLLM's prefixes of models, and the provider or template here: https://docs.litellm.ai/docs/providers */
const kinds: Readonly<Record<string, string>> = {
  openai: "openai",
  hosted_vllm: "openai",
  litellm_proxy: "openai",
  custom_openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  dashscope: "dashscope",
  xai: "xai",
  moonshot: "moonshot",
  deepseek: "deepseek",
  cerebras: "cerebras",
  voyage: "voyage",
  volcengine: "ark",
  openrouter: "openrouter",
  groq: "groq",
  mistral: "mistral",
  together_ai: "together",
  fireworks_ai: "fireworks",
};

/** Providers of models whose name has no prefix. */
const unprefixed: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|o\d|chatgpt)-?/, "openai"],
  [/^claude-/, "anthropic"],
];

/** A model of LiteLLM, such as `openai/gpt-4o`: the kind of its provider, and its name there. */
function partsOf(model: string): { kind: string | undefined; upstream: string } {
  const slash = model.indexOf("/");
  if (slash < 0) return { kind: unprefixed.find(([form]) => form.test(model))?.[1], upstream: model };
  return { kind: kinds[model.slice(0, slash)], upstream: model.slice(slash + 1) };
}

/** The price that LiteLLM was given for a deployment; undefined without one. */
function priceOf({ params, info }: Deployment): Record<string, number> | undefined {
  const { input_cost_per_token: input, output_cost_per_token: output } = { ...info, ...withoutEmpty(params) };
  const cached = params.cache_read_input_token_cost ?? info.cache_read_input_token_cost;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  const price = { input_tokens: perMillion(input), output_tokens: perMillion(output) };
  return typeof cached === "number" ? { ...price, cached_input_tokens: perMillion(cached) } : price;
}

const withoutEmpty = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** The fields of a model that this gateway does not have, or why it cannot be added. */
function fieldsOf(deployment: Deployment, like: string | undefined): object | string {
  const { info } = deployment;
  if (info.mode && info.mode !== "chat" && info.mode !== "responses")
    return `Its mode ${info.mode} is not imported. Add it: npm run models -- add.`;
  const price = priceOf(deployment);
  const limits = {
    ...(info.max_input_tokens && { context_tokens: info.max_input_tokens }),
    ...((info.max_output_tokens ?? info.max_tokens) && {
      max_output_tokens: info.max_output_tokens ?? info.max_tokens,
    }),
  };
  if (like !== undefined) return { like, ...limits, ...(price && { price }) };
  if (price === undefined)
    return "LiteLLM was not given its price, and nothing without a price is served here. Add it: npm run models -- add.";
  if (!("context_tokens" in limits && "max_output_tokens" in limits))
    return "model_info does not have its max_input_tokens and max_output_tokens. Add it: npm run models -- add.";
  return { operations: generating, ...limits, price };
}

interface Upstream {
  readonly deployment: Deployment;
  readonly provider: string;
  /** The provider's name for the model. */
  readonly model: string;
}

/** Plans the providers of a name's deployments; notes those that have none. */
function planUpstreams(plan: Plan, live: Live, deployments: readonly Deployment[]): Upstream[] {
  return deployments.flatMap((deployment): Upstream[] => {
    const { kind, upstream } = partsOf(deployment.params.model);
    const { api_base: baseUrl, api_key: secret } = deployment.params;
    const place = { kind, baseUrl: baseUrl ?? undefined, secret: secret ?? undefined };
    const found = planProvider(plan, live, place);
    if ("id" in found) return [{ deployment, provider: found.id, model: upstream }];
    plan.notes.push({ what: `model ${deployment.name} (${deployment.params.model})`, why: found.why });
    return [];
  });
}

const shownUpstream = ({ deployment: { params }, provider, model }: Upstream) => ({
  provider,
  model,
  ...(params.weight && { weight: params.weight }),
  ...(params.order && { priority: params.order }),
});

/** A name of LiteLLM: a model here, another name of one, or a model to be added. */
function planName(plan: Plan, live: Live, name: string, deployments: readonly Deployment[]): void {
  const upstreams = planUpstreams(plan, live, deployments);
  const [first] = upstreams;
  if (first === undefined) return;
  const known = live.models.get(name);
  const served = live.models.get(first.model);
  const ofFile = upstreams.filter(({ provider }) => live.providers.has(provider));
  if (known !== undefined) {
    const others = upstreams.filter((each) => !ofFile.includes(each)).map(({ provider }) => provider);
    if (others.length > 0)
      plan.notes.push({
        what: `model ${name}`,
        why: `This gateway has it. Add ${others.join(", ")} to its upstreams if it is to be called there.`,
      });
  } else if (served !== undefined && ofFile.includes(first)) planAlias(plan, live, { model: served.id, alias: name });
  else {
    const fields = fieldsOf(first.deployment, served?.id);
    if (typeof fields === "string") plan.notes.push({ what: `model ${name}`, why: fields });
    else plan.models.push({ id: name, fields: { ...fields, upstreams: upstreams.map(shownUpstream) } });
  }
}

/** Fallbacks of a model, if the name is the model's own: those of an alias would apply to all of its names. */
function planFallbacks(plan: Plan, live: Live, [name, chain]: Served["fallbacks"][number]): void {
  const what = `fallbacks of ${name}`;
  const model = modelNamed(plan, live, name);
  const ids = chain.map((each) => modelNamed(plan, live, each));
  if (model === undefined || ids.includes(undefined)) plan.notes.push({ what, why: "One of the models is not here." });
  else if (model !== name)
    plan.notes.push({
      what,
      why: `${name} is a name of ${model} here, and fallbacks belong to the model, with all of its names.`,
    });
  else plan.fallbacks.push({ model, fallbacks: ids as string[] });
}

/** Plans what LiteLLM serves: providers, their keys, models, aliases and fallbacks. */
export function planModels(plan: Plan, live: Live, { deployments, aliases, fallbacks }: Served): void {
  for (const [name, group] of Map.groupBy(deployments, (deployment) => deployment.name))
    planName(plan, live, name, group);
  for (const [alias, to] of Object.entries(aliases)) {
    const model = modelNamed(plan, live, to);
    if (model !== undefined) planAlias(plan, live, { model, alias });
    else plan.notes.push({ what: `alias ${alias}`, why: `Its model ${to} is not here.` });
  }
  for (const each of fallbacks) planFallbacks(plan, live, each);
}
