import { isUtf8 } from "node:buffer";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { nextTurn } from "@uag/runtime/next-turn";
import { withReadyPages } from "../ready-pages.ts";
import { type JsonFault, jsonFault } from "./fault.ts";
import { LongStrings, maxTextLength, type Span, tooLong } from "./long-strings.ts";
import { type JsonCounts, type JsonLimits, maxLengths, scanJson } from "./scan.ts";

/** Bodies up to this length, bytes, are bounded well enough by it. */
const smallBytes = 128 * 1024;

/**
 * Limits on a request's structure, for every operation. A body of text or images has a few dozen
 * values per message; a body at these limits takes about 40 ms to parse, which blocks everything
 * else.
 */
export const bodyLimits: JsonLimits = { depth: 64, values: 100_000, numbers: 100_000, names: 10_000, ...maxLengths };

const limitTexts: Record<keyof JsonLimits, (max: number) => string> = {
  depth: (max) => `is nested more than ${max} levels deep`,
  values: (max) => `has more than ${max} values`,
  numbers: (max) => `has more than ${max} numbers`,
  names: (max) => `has more than ${max} different field names`,
  nameBytes: (max) => `has a field name of more than ${max} bytes`,
  wordBytes: (max) => `has a number of more than ${max} digits`,
  blankBytes: (max) => `has more than ${max} bytes of white space in a row`,
};

const unmeasured: Partial<JsonCounts> & Pick<JsonCounts, "longSpans"> = { longSpans: [] };

/** An escape that may be half of a surrogate pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Parses the JSON of a request body: UTF-8, within limits, finite numbers, well-formed characters.
 * Of duplicate keys the last counts. A large body is measured before it is parsed.
 * @throws {GatewayError} `invalid_json` (422) for invalid JSON, with line and column in a small body;
 * `invalid_request` for unacceptable JSON
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = bodyLimits): unknown {
  const text = textOf(bytes, limits);
  return inspected(parsed(text, bytes), text, limits);
}

/**
 * Like {@link parseJson}, but yields to the event loop in between. For long bodies: with 32 MiB no
 * turn takes more than about 40 ms. Texts above {@link maxTextLength} are refused.
 */
export async function parseJsonInTurns(bytes: Buffer, limits: JsonLimits = bodyLimits): Promise<unknown> {
  // Assembling the body may have taken a turn's time already.
  await nextTurn();
  const long = new LongStrings(bytes, measured(bytes, limits));
  await nextTurn();
  await long.read().catch((cause: unknown) => notJson(bytes, cause));
  const text = await long.remainder();
  await nextTurn();
  // Short texts usually take their memory twice: the collector copies young objects once.
  const value = await withReadyPages(2 * text.length, () => parsed(text, bytes));
  await nextTurn();
  const checked = inspected(value, text, limits, long);
  // What the caller does with it has a turn of its own.
  await nextTurn();
  return checked;
}

function textOf(bytes: Buffer, limits: JsonLimits): string {
  measured(bytes, limits);
  return bytes.toString("utf8");
}

/** @returns where its long strings and runs of white space are */
function measured(bytes: Buffer, limits: JsonLimits): readonly Span[] {
  if (bytes.length === 0) throw new GatewayError("invalid_json", "The request body is empty.");
  const { passed, member, longSpans } = bytes.length > smallBytes ? scanJson(bytes, limits) : unmeasured;
  if (passed !== undefined) throw beyond(passed, limits, member);
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The request body is not valid UTF-8.");
  return longSpans;
}

function parsed(text: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return notJson(bytes, error);
  }
}

/** @throws {GatewayError} with the place of the fault in a small body, which is fast to search */
function notJson(bytes: Buffer, cause: unknown): never {
  const fault = bytes.length > smallBytes ? undefined : jsonFault(bytes.toString("utf8"));
  throw new GatewayError("invalid_json", fault && faultText(fault), { cause });
}

function faultText({ line, column, what }: JsonFault): string {
  return `The request body is not valid JSON at line ${line}, column ${column}: ${what}.`;
}

function inspected(value: unknown, text: string, limits: JsonLimits, long?: LongStrings): unknown {
  return inspect(value, { limits, surrogates: surrogateEscape.test(text), long, member: undefined }, 1);
}

const maxMember = 200;

function beyond(limit: keyof JsonLimits, limits: JsonLimits, member?: string): GatewayError {
  return unacceptable(limitTexts[limit](limits[limit]), member);
}

function unacceptable(text: string, member: string | undefined): GatewayError {
  if (member === undefined || member.length > maxMember)
    return new GatewayError("invalid_request", `The request body ${text}.`);
  return new GatewayError("invalid_request", `${member}: ${text}.`, { param: member });
}

interface Inspection {
  readonly limits: JsonLimits;
  /** The text has escapes that may be lone surrogates. */
  readonly surrogates: boolean;
  /** Strings that were parsed separately. */
  readonly long: LongStrings | undefined;
  /** The outermost object's member being inspected. */
  member: string | undefined;
}

/** Returns the value, with long strings in place of their marks. */
function inspect(value: unknown, inspection: Inspection, depth: number): unknown {
  if (typeof value === "string") return inspectText(value, inspection);
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new GatewayError("invalid_request", "The request body contains a number out of range.");
  } else if (typeof value === "object" && value !== null) {
    if (depth > inspection.limits.depth) throw beyond("depth", inspection.limits, inspection.member);
    if (Array.isArray(value)) inspectItems(value, inspection, depth + 1);
    else inspectMembers(value as Record<string, unknown>, inspection, depth);
  }
  return value;
}

function inspectText(text: string, { surrogates, long, member }: Inspection): string {
  const whole = long?.of(text) ?? text;
  if (whole === tooLong) throw unacceptable(`has a text of more than ${maxTextLength} characters`, member);
  if ((surrogates || whole !== text) && !whole.isWellFormed())
    throw new GatewayError(
      "invalid_json",
      "The request body contains a string with half a character (a lone surrogate).",
    );
  return whole;
}

function inspectItems(items: unknown[], inspection: Inspection, depth: number): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const inspected = inspect(item, inspection, depth);
    if (inspected !== item) items[index] = inspected;
  }
}

function inspectMembers(members: Record<string, unknown>, inspection: Inspection, depth: number): void {
  for (const name in members) {
    if (depth === 1) inspection.member = name;
    if (inspection.surrogates) inspectText(name, inspection);
    const member = members[name];
    const inspected = inspect(member, inspection, depth + 1);
    if (inspected !== member) members[name] = inspected;
  }
}
