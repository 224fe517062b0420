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
}

/** Templates for servers of one's own; a server of another kind has that kind's. */
const ownServers: Readonly<Record<string, string>> = {
  openai: "openai-compatible",
  anthropic: "anthropic-compatible",
};

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

const idOf = (host: string): string =>
  host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "-")
    .slice(0, 64);

/**
 * The provider of a deployment: one of the catalogue, or one that the plan adds, with its key.
 * @returns why there is none, or the provider's id
 */
export function planProvider(plan: Plan, live: Live, place: Place): { id: string } | { why: string } {
  const { kind, secret, share } = place;
  const baseUrl = place.baseUrl?.replace(/(?<!\/)\/+$/, "");
  const usual = live.providers.get(kind ?? "")?.base_url ?? live.templates.get(kind ?? "");
  const own = baseUrl !== undefined && hostOf(baseUrl) !== hostOf(usual ?? "");
  const template = own ? (ownServers[kind ?? ""] ?? kind) : kind;
  if (template === undefined || (usual === undefined && !own))
    return { why: "Its provider's protocol is not supported here." };
  const host = own ? hostOf(baseUrl) : undefined;
  if (own && host === undefined) return { why: "Its base URL is invalid." };
  const id = host === undefined ? template : idOf(host);
  if (!live.providers.has(id) && !plan.providers.some((each) => each.id === id))
    plan.providers.push({ id, template, baseUrl: own ? baseUrl : undefined });
  const known = plan.credentials.some((each) => each.provider === id && each.secret === secret);
  if (secret !== undefined && !known) plan.credentials.push({ provider: id, secret, share });
  return { id };
}
