import type { Live, LiveModel } from "./live.ts";
import { generating, modelNamed, planAlias } from "./names.ts";
import type { Plan } from "./plan.ts";
import { type Place, planProvider } from "./providers.ts";

/** One of the upstreams of a name in another gateway. */
export interface Deployment {
  /** The name in requests. */
  readonly name: string;
  /** Its provider's name for the model. */
  readonly upstream: string;
  /** The model that a deployment has, if its name is not the model's; undefined: `upstream`. */
  readonly base?: string | undefined;
  /** The provider and the model as the other gateway writes them, for notes. */
  readonly shown: string;
  readonly place: Place;
  readonly weight: number | undefined;
  /** The lowest number is tried first. */
  readonly priority: number | undefined;
  /** USD per million tokens; undefined: the other gateway does not have it. */
  readonly price: Readonly<Record<string, number>> | undefined;
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Why a model that this gateway does not have is not added. */
  readonly refusal?: string | undefined;
}

/** What another gateway serves. */
export interface Served {
  readonly deployments: readonly Deployment[];
  /** Other names of names. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: readonly (readonly [string, readonly string[]])[];
}

const byHand = "Add it: npm run models -- add.";

/** The fields of a model that this gateway does not have, or why it cannot be added. */
function fieldsOf(deployment: Deployment, like: string | undefined): object | string {
  const { refusal, price, contextTokens, maxOutputTokens } = deployment;
  if (refusal !== undefined) return `${refusal} ${byHand}`;
  const limits = {
    ...(contextTokens && { context_tokens: contextTokens }),
    ...(maxOutputTokens && { max_output_tokens: maxOutputTokens }),
  };
  if (like !== undefined) return { like, ...limits, ...(price && { price }) };
  if (price === undefined) return `Its price is unknown, and nothing without a price is served here. ${byHand}`;
  if (!("context_tokens" in limits && "max_output_tokens" in limits))
    return `Its maximum context and output are unknown. ${byHand}`;
  return { operations: generating, ...limits, price };
}

interface Upstream {
  readonly deployment: Deployment;
  readonly provider: string;
}

/** Plans the providers of a name's deployments, each once; notes those that have none. */
function planUpstreams(plan: Plan, live: Live, deployments: readonly Deployment[]): Upstream[] {
  const found = new Map<string, Upstream>();
  for (const deployment of deployments) {
    const { name, shown, upstream } = deployment;
    const provider = planProvider(plan, live, deployment.place);
    if ("why" in provider) plan.notes.push({ what: `model ${name} (${shown})`, why: provider.why });
    else if (!found.has(`${provider.id} ${upstream}`))
      found.set(`${provider.id} ${upstream}`, { deployment, provider: provider.id });
  }
  return [...found.values()];
}

const shownUpstream = ({ deployment: { upstream, weight, priority }, provider }: Upstream) => ({
  provider,
  model: upstream,
  ...(weight && { weight }),
  ...(priority && { priority }),
});

const isServedAt = ({ providers }: LiveModel, { provider, deployment }: Upstream): boolean =>
  providers.some((each) => each.provider === provider && each.model === deployment.upstream);

/** A name of the other gateway: a model here, another name of one, or a model to be added. */
function planName(plan: Plan, live: Live, name: string, deployments: readonly Deployment[]): void {
  const upstreams = planUpstreams(plan, live, deployments);
  const [first] = upstreams;
  if (first === undefined) return;
  const known = live.models.get(name);
  const { base = first.deployment.upstream } = first.deployment;
  const served = live.models.get(base);
  const ofFile = upstreams.filter(({ provider }) => live.providers.has(provider));
  if (known !== undefined) {
    const others = upstreams.filter((each) => !ofFile.includes(each)).map(({ provider }) => provider);
    if (others.length > 0)
      plan.notes.push({
        what: `model ${name}`,
        why: `This gateway has it. Add ${others.join(", ")} to its upstreams if it is to be called there.`,
      });
  } else if (served !== undefined && isServedAt(served, first))
    planAlias(plan, live, { model: served.id, alias: name });
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

/** Plans what a gateway serves: providers, their keys, models, aliases and fallbacks. */
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
