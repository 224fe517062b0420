import type { Live } from "./live.ts";
import type { CredentialShare, Plan } from "./plan.ts";

/** Where a deployment of another gateway is served. */
export interface Place {
  /** A provider or template of this gateway, such as `openai`; undefined: none serves its protocol. */
  readonly kind: string | undefined;
  /** Undefined: the provider's own. */
  readonly baseUrl: string | undefined;
  readonly secret: string | undefined;
  /** How its key shares the provider's calls; undefined: equally. */
  readonly share?: CredentialShare | undefined;
  /** Why it cannot be called. */
  readonly fault?: string | undefined;
}

/** Templates for servers of one's own; a server of another kind has that kind's. */
const ownServers: Readonly<Record<string, string>> = {
  openai: "openai-compatible",
  anthropic: "anthropic-compatible",
};

const urlOf = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined);

const idOf = (host: string): string =>
  host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "-")
    .slice(0, 64);

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, "");

/** A server of one's own. */
interface Server {
  readonly url: URL;
  readonly baseUrl: string;
  readonly template: string;
}

/** Its id: by its host, or by more of it if another server has that id. Undefined: every one is taken. */
function serverId(plan: Plan, live: Live, { url, baseUrl, template }: Server): string | undefined {
  const isTaken = (id: string): boolean => {
    const present = live.providers.get(id);
    const planned = plan.providers.find((each) => each.id === id);
    if (present !== undefined) return withoutSlash(present.base_url) !== baseUrl;
    return planned !== undefined && (planned.baseUrl !== baseUrl || planned.template !== template);
  };
  const ids = [url.host, `${url.host}${withoutSlash(url.pathname)}`, `${url.host}-${template}`].map(idOf);
  return ids.find((id) => !isTaken(id));
}

/**
 * The provider of a deployment: one of the catalogue, or one that the plan adds, with its key.
 * @returns why there is none, or the provider's id
 */
export function planProvider(plan: Plan, live: Live, place: Place): { id: string } | { why: string } {
  const { kind, secret, share, fault } = place;
  if (fault !== undefined) return { why: fault };
  const baseUrl = place.baseUrl === undefined ? undefined : withoutSlash(place.baseUrl);
  const usual = live.providers.get(kind ?? "")?.base_url ?? live.templates.get(kind ?? "");
  const own = baseUrl !== undefined && urlOf(baseUrl)?.host !== urlOf(usual ?? "")?.host;
  const template = own ? (ownServers[kind ?? ""] ?? kind) : kind;
  if (template === undefined || (usual === undefined && !own))
    return { why: "Its provider's protocol is not supported here." };
  const url = own ? urlOf(baseUrl) : undefined;
  if (own && url === undefined) return { why: "Its base URL is invalid." };
  const id = url === undefined || baseUrl === undefined ? template : serverId(plan, live, { url, baseUrl, template });
  if (id === undefined)
    return { why: `The ids of a provider at ${baseUrl} are those of others. Add it: npm run providers -- add.` };
  if (!live.providers.has(id) && !plan.providers.some((each) => each.id === id))
    plan.providers.push({ id, template, baseUrl: own ? baseUrl : undefined });
  const known = plan.credentials.some((each) => each.provider === id && each.secret === secret);
  if (secret !== undefined && !known) plan.credentials.push({ provider: id, secret, share });
  return { id };
}
