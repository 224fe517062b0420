import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { z } from "zod";
import { queryOf } from "../http/paging.ts";
import type { MemberRule } from "../people/access.ts";
import type { Person } from "../people/person.ts";
import { makerField } from "./borrowed.ts";
import type { AdminApi } from "./client.ts";

/** A person's call of the admin API, before it is made. */
export interface AdminRequest {
  readonly api: AdminApi;
  readonly token: string;
  readonly person: Person;
  /** Below `/admin/v1`, with its query. */
  readonly path: string;
  /** The id in the path; empty where there is none. */
  readonly id: string;
}

const key = z.looseObject({ id: z.string(), metadata: z.record(z.string(), z.unknown()) });
const page = z.looseObject({ data: z.array(key), has_more: z.boolean(), next_cursor: z.string().nullable() });

const receipt = z.looseObject({ event: z.looseObject({ key_id: z.string() }) });

const idPattern = /^[\w.:-]{1,200}$/;
/** Pages that are looked through for one of a member's keys. */
const mostPages = 20;

const noSuchKey = (param: string): GatewayError => new GatewayError("not_found", "There is no such key.", { param });

async function keyOf({ api, token }: AdminRequest, id: string): Promise<z.infer<typeof key>> {
  if (!idPattern.test(id)) throw noSuchKey("id");
  return key.parse(await api.call(token, { method: "GET", path: `/keys/${id}` }));
}

const isOwn = ({ metadata }: z.infer<typeof key>, { user }: Person): boolean => metadata[makerField] === user._id;

async function requireOwnKey(asked: AdminRequest, id: string, param: string): Promise<void> {
  if (!isOwn(await keyOf(asked, id), asked.person)) throw noSuchKey(param);
}

async function requireOwnEvent(asked: AdminRequest): Promise<void> {
  const { api, token, id } = asked;
  if (!idPattern.test(id)) throw new GatewayError("not_found", "There is no such request.", { param: "id" });
  const { event } = receipt.parse(await api.call(token, { method: "GET", path: `/usage/events/${id}` }));
  await requireOwnKey(asked, event.key_id, "id");
}

/**
 * @throws {GatewayError} `not_found` for what is not the member's own; `invalid_request` where no
 * key is named
 */
export async function confineMember(asked: AdminRequest, rule: MemberRule): Promise<void> {
  if (rule === "own-key") await requireOwnKey(asked, asked.id, "id");
  if (rule === "own-event") await requireOwnEvent(asked);
  if (rule !== "key-in-query") return;
  const named = queryOf(asked.path).getAll("key");
  const [id = ""] = named;
  if (named.length !== 1) throw new GatewayError("invalid_request", "Name one of your keys.", { param: "key" });
  await requireOwnKey(asked, id, "key");
}

/**
 * The keys that a member has made, as a page of the admin API's own. It may have fewer rows than
 * were asked for, with more behind it.
 */
export async function listOwnKeys(asked: AdminRequest): Promise<object> {
  const query = queryOf(asked.path);
  for (let pages = 1; ; pages++) {
    const answer = page.parse(await asked.api.call(asked.token, { method: "GET", path: `/keys?${query}` }));
    const data = answer.data.filter((row) => isOwn(row, asked.person));
    if (data.length > 0 || answer.next_cursor === null || pages === mostPages) return { ...answer, data };
    query.set("after", answer.next_cursor);
  }
}

const object = z.record(z.string(), z.unknown());

/**
 * The body with the maker of the key in its metadata. One that is no object is refused by the admin
 * API itself.
 */
export async function withMaker(asked: AdminRequest, body: unknown, operation: string): Promise<object | undefined> {
  const fields = object.safeParse(body ?? {});
  if (!fields.success) return body as object;
  const isNew = operation === "admin.keys.create";
  const { metadata } = fields.data;
  if (!isNew && metadata === undefined) return fields.data;
  const given = object.safeParse(metadata ?? {});
  if (!given.success) return fields.data;
  const { [makerField]: _said, ...rest } = given.data;
  const maker = isNew ? asked.person.user._id : (await keyOf(asked, asked.id)).metadata[makerField];
  return { ...fields.data, metadata: { ...rest, ...(maker !== undefined && { [makerField]: maker }) } };
}
