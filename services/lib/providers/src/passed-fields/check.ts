import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Fields, fieldsOf, isFields } from "../conversation/fields.ts";
import type { FieldTable } from "./cost-class.ts";

/**
 * Refuses fields whose cost no hold bounds.
 * @throws {GatewayError} `invalid_request` naming the field
 */
export function checkRefusedFields(fields: Fields, table: FieldTable): void {
  for (const name of Object.keys(fields)) {
    const cost = Object.hasOwn(table, name) ? table[name] : undefined;
    if (cost?.kind === "refused" && isRequested(fields[name])) throw refusedField(name, cost.reason);
  }
}

/**
 * Refuses members of a field whose cost no hold bounds.
 * @throws {GatewayError} `invalid_request` naming the member
 */
export function checkRefusedMembers(field: string, members: Fields, table: FieldTable): void {
  const named = Object.entries(members).map(([name, value]) => [`${field}.${name}`, value]);
  checkRefusedFields(Object.fromEntries(named), table);
}

/**
 * Whether the table has every header.
 * @param headers names and values alternating
 * @throws {GatewayError} `invalid_request` naming a header whose cost no hold bounds
 */
export function areClassedHeaders(headers: readonly string[], table: FieldTable): boolean {
  const names = headers.filter((_, index) => index % 2 === 0);
  for (const name of names) {
    const cost = Object.hasOwn(table, name) ? table[name] : undefined;
    if (cost?.kind === "refused") throw refusedField(name, cost.reason);
  }
  return names.every((name) => Object.hasOwn(table, name));
}

/**
 * The first field that the table lacks, such as `output_config.turbo`; undefined when it has all.
 * Where the table has rows for members, it has to have one for each.
 */
export function unclassedField(fields: Fields, table: FieldTable): string | undefined {
  return unclassedFields(fields, table)[0];
}

/**
 * Whether some field has no cost class, and not every provider of the model declares it free: an
 * upstream that may receive it could charge more for it.
 */
export function hasCostlyField(fields: Fields, table: FieldTable, { upstreams }: Pick<Model, "upstreams">): boolean {
  return unclassedFields(fields, table).some(
    (name) => !upstreams.every(({ provider }) => provider.freeFields.has(name)),
  );
}

/** Like {@link unclassedField}, all of them. */
export function unclassedFields(fields: Fields, table: FieldTable): readonly string[] {
  const listed = membersOf(table);
  const found: string[] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === null || value === undefined) continue;
    if (listed.has(name)) {
      if (isFields(value)) addUnclassedMembers(found, name, value, table);
    } else if (!Object.hasOwn(table, name)) found.push(name);
  }
  return found;
}

function addUnclassedMembers(found: string[], name: string, value: Fields, table: FieldTable): void {
  for (const member of Object.keys(value)) {
    const path = `${name}.${member}`;
    if (!Object.hasOwn(table, path)) found.push(path);
  }
}

const memberNames = new WeakMap<FieldTable, ReadonlySet<string>>();

/** The fields with rows for their members. */
function membersOf(table: FieldTable): ReadonlySet<string> {
  const found = memberNames.get(table);
  if (found !== undefined) return found;
  const names = new Set(Object.keys(table).flatMap((name) => /^(\w+)\.\w+$/.exec(name)?.[1] ?? []));
  memberNames.set(table, names);
  return names;
}

/** Whether a value asks for anything: null, `false`, an empty list and a mode `off` do not. */
function isRequested(value: unknown): boolean {
  if (value == null || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return fieldsOf(value)["mode"] !== "off";
}

/** @param reason a clause, without a full stop */
export function refusedField(name: string, reason: string): GatewayError {
  const param = name.slice(0, 80);
  return new GatewayError("invalid_request", `${param}: ${reason}.`, { param });
}
