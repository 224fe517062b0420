import { z } from "zod";
import { grantOf } from "../people/access.ts";
import {
  changedLimits,
  type KeyLimits,
  limitsIn,
  type ParsedLimits,
  requireWithin,
  storedLimits,
} from "../people/key-limits.ts";
import { makerField, purposeField } from "./credentials.ts";
import { type AdminRequest, type Key, keyOf } from "./members.ts";

const object = z.record(z.string(), z.unknown());
type Fields = z.output<typeof object>;

/** What the console alone writes in a key's metadata. */
const reserved: readonly string[] = [makerField, purposeField];

/** A key's limits, with an end in the past too: it limits a member as well. */
const limitsOf = (key: Key): ParsedLimits => ({
  ...limitsIn(key),
  expires: key.expires === null ? 0n : BigInt(Date.parse(key.expires)),
});

/** The metadata to store: what the person wrote, and what the console wrote before. */
function metadataOf({ person }: AdminRequest, given: Fields, before: Key | undefined): Fields {
  const written = Object.entries(given).filter(([name]) => !reserved.includes(name));
  const own =
    before === undefined
      ? [[makerField, person.user._id] as const]
      : Object.entries(before.metadata).filter(([name]) => reserved.includes(name));
  return Object.fromEntries([...written, ...own]);
}

/**
 * The fields of a key that a member creates or changes: limits that are not given are the member's
 * own, and none may be looser than what an owner has set.
 * @throws {GatewayError} `permission_denied` for a looser limit
 */
function confineLimits(fields: Fields, limits: KeyLimits, before: Key | undefined): Fields {
  const given = limitsIn(fields);
  const ceiling = limitsIn(limits);
  if (before === undefined) {
    requireWithin(given, ceiling);
    const inherited = Object.entries(limits).filter(([name]) => given[name as keyof ParsedLimits] === undefined);
    return { ...fields, ...Object.fromEntries(inherited) };
  }
  const current = limitsOf(before);
  const changed = changedLimits(current, given);
  requireWithin(changed, current);
  requireWithin(changed, ceiling);
  return fields;
}

/** What was requested of a key, checked field by field. */
export interface KeyBody {
  readonly body: object | undefined;
  /** The user who created the key, and the limits that change; undefined for a new key. */
  readonly change: { readonly makerId: unknown; readonly limits: ParsedLimits } | undefined;
}

/**
 * The body of a request that creates or changes a key, as the person may send it: the console sets
 * a key's creator, and confines a member's limits. A body that is not an object is left for the
 * admin API to refuse.
 * @throws {GatewayError} `permission_denied`, naming the field
 */
export async function keyBodyOf(
  requested: AdminRequest,
  body: unknown,
  operation: "admin.keys.create" | "admin.keys.update",
): Promise<KeyBody> {
  const parsed = object.safeParse(body ?? {});
  if (!parsed.success) return { body: body as object, change: undefined };
  const before = operation === "admin.keys.update" ? await keyOf(requested, requested.id) : undefined;
  const { user } = requested.person;
  const isConfined = grantOf(user.role, operation)?.fields !== undefined;
  const fields = isConfined ? confineLimits(parsed.data, user.keyLimits ?? {}, before) : parsed.data;
  const change = before && {
    makerId: before.metadata[makerField],
    limits: changedLimits(limitsOf(before), limitsIn(fields)),
  };
  if (before !== undefined && fields["metadata"] === undefined) return { body: fields, change };
  const metadata = object.safeParse(fields["metadata"] ?? {});
  if (!metadata.success) return { body: fields, change };
  return { body: { ...fields, metadata: metadataOf(requested, metadata.data, before) }, change };
}

/** A member's limits after an owner has changed those of one of the member's keys. */
export function limitsAfter(earlier: KeyLimits, changed: ParsedLimits): KeyLimits {
  return storedLimits({ ...limitsIn(earlier), ...changed });
}
