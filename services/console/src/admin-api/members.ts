import { GatewayError } from "@uag/contract/errors/gateway-error";
import { z } from "zod";
import type { MemberRule } from "../people/access.ts";
import type { Person } from "../people/person.ts";
import type { AdminApi } from "./client.ts";
import { makerField } from "./credentials.ts";

/** A person's call of the admin API, before it is forwarded. */
export interface AdminRequest {
  readonly api: AdminApi;
  readonly token: string;
  readonly person: Person;
  readonly query: URLSearchParams;
  /** The id in the path; empty where there is none. */
  readonly id: string;
}

const key = z.looseObject({
  id: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  expires: z.string().nullable(),
});

export type Key = z.output<typeof key>;
const page = z.looseObject({ data: z.array(key), has_more: z.boolean(), next_cursor: z.string().nullable() });

const receipt = z.looseObject({ event: z.looseObject({ key_id: z.string() }) });

const idPattern = /^(?!\.{1,2}$)[\w.:-]{1,200}$/;
/** Pages that are searched for a member's keys at most. */
const maxPages = 20;

const noSuchKey = (param: string): GatewayError => new GatewayError("not_found", "The key does not exist.", { param });

/** @throws {GatewayError} `not_found` */
export async function keyOf({ api, token }: AdminRequest, id: string): Promise<Key> {
  if (!idPattern.test(id)) throw noSuchKey("id");
  return key.parse(await api.call(token, { method: "GET", path: `/keys/${id}` }));
}

const isOwn = ({ metadata }: Key, { user }: Person): boolean => metadata[makerField] === user._id;

async function requireOwnKey(requested: AdminRequest, id: string, param: string): Promise<void> {
  if (!isOwn(await keyOf(requested, id), requested.person)) throw noSuchKey(param);
}

async function requireOwnEvent(requested: AdminRequest): Promise<void> {
  const { api, token, id } = requested;
  if (!idPattern.test(id)) throw new GatewayError("not_found", "The request does not exist.", { param: "id" });
  const { event } = receipt.parse(await api.call(token, { method: "GET", path: `/usage/events/${id}` }));
  await requireOwnKey(requested, event.key_id, "id");
}

/**
 * @throws {GatewayError} `not_found` for a key that is not the member's own; `invalid_request`
 * where no key is named
 */
export async function confineMember(requested: AdminRequest, rule: MemberRule): Promise<void> {
  if (rule === "own-key") await requireOwnKey(requested, requested.id, "id");
  if (rule === "own-event") await requireOwnEvent(requested);
  if (rule !== "key-in-query") return;
  const named = requested.query.getAll("key");
  const [id = ""] = named;
  if (named.length !== 1) throw new GatewayError("invalid_request", "Choose one of your keys.", { param: "key" });
  await requireOwnKey(requested, id, "key");
}

/**
 * The keys that a member has created, as a page of the admin API. It may have fewer rows than the
 * limit although more follow.
 */
export async function listOwnKeys(requested: AdminRequest): Promise<object> {
  const query = new URLSearchParams(requested.query);
  for (let pages = 1; ; pages++) {
    const response = page.parse(await requested.api.call(requested.token, { method: "GET", path: `/keys?${query}` }));
    const data = response.data.filter((row) => isOwn(row, requested.person));
    if (data.length > 0 || response.next_cursor === null || pages === maxPages) return { ...response, data };
    query.set("after", response.next_cursor);
  }
}
