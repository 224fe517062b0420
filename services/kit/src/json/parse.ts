import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GatewayError } from "../errors.ts";
import { type JsonLimits, scanJson } from "./scan.ts";

/** Bodies up to this long, bytes, are bounded well enough by their length. */
const smallBytes = 128 * 1024;

/**
 * What a request may be made of, whatever its operation. A body of text or pictures has a few dozen values for each message; a body at
 * these limits takes some 40 ms to be parsed, in which everybody else waits.
 */
export const bodyLimits: JsonLimits = { depth: 64, values: 100_000, numbers: 100_000, names: 10_000 };

const limitTexts: Record<keyof JsonLimits, (most: number) => string> = {
  depth: (most) => `is nested more than ${most} levels deep`,
  values: (most) => `has more than ${most} values`,
  numbers: (most) => `has more than ${most} numbers`,
  names: (most) => `has more than ${most} different field names`,
};

/** An escape that may be half of a surrogate pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Reads the JSON of a request body: UTF-8, within limits, finite numbers, whole characters. Of a key that is there twice the last
 * counts. A large body is measured before anything is made of it.
 * @throws {GatewayError} `invalid_json` (422) for what is not JSON, `invalid_request` for JSON that is not acceptable
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = bodyLimits): unknown {
  const text = textOf(bytes, limits);
  return inspected(parsed(text), text, limits);
}

/**
 * Does what {@link parseJson} does, and gives others their turn between the steps. For long bodies: each step takes about a
 * millisecond for a megabyte.
 */
export async function parseJsonInTurns(bytes: Buffer, limits: JsonLimits = bodyLimits): Promise<unknown> {
  const text = textOf(bytes, limits);
  await nextTurn();
  const value = parsed(text);
  await nextTurn();
  inspected(value, text, limits);
  await nextTurn();
  return value;
}

function textOf(bytes: Buffer, limits: JsonLimits): string {
  if (bytes.length === 0) throw new GatewayError("invalid_json", "The request body is empty.");
  if (bytes.length > smallBytes) {
    const { passed, member } = scanJson(bytes, limits);
    if (passed !== undefined) throw beyond(passed, limits, member);
  }
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The request body is not valid UTF-8.");
  return bytes.toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new GatewayError("invalid_json", undefined, { cause: error });
  }
}

function inspected(value: unknown, text: string, limits: JsonLimits): unknown {
  inspect(value, { limits, surrogates: surrogateEscape.test(text), member: undefined }, 1);
  return value;
}

const longestMember = 200;

function beyond(limit: keyof JsonLimits, limits: JsonLimits, member?: string): GatewayError {
  const text = limitTexts[limit](limits[limit]);
  if (member === undefined || member.length > longestMember)
    return new GatewayError("invalid_request", `The request body ${text}.`);
  return new GatewayError("invalid_request", `${member}: ${text}.`, { param: member });
}

interface Inspection {
  readonly limits: JsonLimits;
  /** The text has escapes that may be lone surrogates. */
  readonly surrogates: boolean;
  /** Of the outermost object, under way. */
  member: string | undefined;
}

function inspect(value: unknown, inspection: Inspection, depth: number): void {
  if (typeof value === "string") {
    if (inspection.surrogates && !value.isWellFormed()) {
      throw new GatewayError("invalid_json", "The request body has a string with half a character (a lone surrogate).");
    }
  } else if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new GatewayError("invalid_request", "The request body has a number out of range.");
  } else if (typeof value === "object" && value !== null) {
    if (depth > inspection.limits.depth) throw beyond("depth", inspection.limits, inspection.member);
    if (Array.isArray(value)) for (const item of value) inspect(item, inspection, depth + 1);
    else {
      for (const key in value) {
        if (depth === 1) inspection.member = key;
        if (inspection.surrogates) inspect(key, inspection, depth);
        inspect((value as Record<string, unknown>)[key], inspection, depth + 1);
      }
    }
  }
}
