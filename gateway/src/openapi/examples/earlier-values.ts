import type { Json, Recorded } from "./types.ts";

const dayMs = 86_400_000;
/** Earlier times are not of the recording: the dates of models, for example. */
const recentMs = 8 * dayMs;

/** Measurements and random values, also as objects of numbers. Other numbers are the same in every recording. */
const measurements: ReadonlySet<string> = new Set([
  "bytes",
  "calls",
  "duration_ms",
  "first_byte_ms",
  "heard_ms_ago",
  "journals",
  "latency_ms",
  "request_counts",
  "seed",
  "stream",
  "uptime_seconds",
]);
const isMeasured = (field: string): boolean => measurements.has(field) || field.startsWith("uag_");

/** Texts that are random as a whole. */
const randomTexts: ReadonlySet<string> = new Set(["hint", "jws"]);

/** `2026-11-25T09:42:51.485Z`, `2026-11-25T09:42:51Z`, `2026-11-25`, `2026-11`, and seconds, milliseconds or microseconds since 1970. */
const times =
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z|(?<![\w-])\d{4}-\d\d(?:-\d\d)?(?![\w-])|(?<![\w.-])\d{10}(?:\d{3}(?:\d{3})?)?(?![\w.])/;
/**
 * Identifiers behind their prefix, hashes, versions of prices and of the catalogue (hashes of times), signatures, UUIDs,
 * cursors (base64url of a time), the times and numbers in task ids (`cgt-20261125094246-00003`), and secrets shown in
 * part.
 */
const names =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<![\w-])MT[\w-]{18,}|(?<![0-9A-Za-z.])(?=[A-Za-z]*\d)[0-9A-Za-z]{16,}|(?<![\w-])(?=\d*[a-f])[0-9a-f]{12}(?![\w-])|(?<=[a-z]-)20\d{12}-\d+|(?:\b(?:sk|adm)-|\bwhsec_)[\w+/-]*…\w*/;
/** Everything that differs between recordings. */
export const tokens = new RegExp(`${times.source}|${names.source}`, "g");

/** Milliseconds since 1970; the end of a month. */
function timeOf(token: string): number {
  if (/^\d{4}-\d\d$/.test(token)) return Date.parse(token) + 31 * dayMs;
  if (!/^\d+$/.test(token)) return Date.parse(token);
  return Number(token) * 10 ** (13 - token.length);
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Gives the values of a new recording that differ in every recording (identifiers, times,
 * measurements) what they were in the earlier recording, so that the difference between the two is
 * what changed in the API. Equal identifiers stay equal, and different ones different.
 */
class EarlierValues {
  readonly #since: number;
  readonly #earlier = new Map<string, string>();
  readonly #given = new Set<string>();

  /** @param startedAt when the new recording began, in milliseconds since 1970 */
  constructor(startedAt: number) {
    this.#since = startedAt - recentMs;
  }

  response(value: unknown, earlier: unknown, field = ""): unknown {
    return this.#value(value, earlier, { field, isResponse: true });
  }

  /** Identifiers in requests are constants, except for those of earlier responses. */
  request(value: unknown, earlier: unknown): unknown {
    return this.#value(value, earlier, { field: "", isResponse: false });
  }

  #value(value: unknown, earlier: unknown, at: { readonly field: string; readonly isResponse: boolean }): unknown {
    if (Array.isArray(value)) {
      const items = Array.isArray(earlier) ? earlier : [];
      return value.map((item, index) => this.#value(item, items[index], at));
    }
    if (isObject(value)) {
      const fields = isObject(earlier) ? earlier : {};
      const entries = Object.entries(value).map(([field, item]) => [
        field,
        this.#value(item, fields[field], { ...at, field: isMeasured(at.field) ? at.field : field }),
      ]);
      return Object.fromEntries(entries);
    }
    if (typeof value === "number") return this.#number(value, earlier, at.field);
    return typeof value === "string" ? this.#text(value, earlier, at) : value;
  }

  #number(value: number, earlier: unknown, field: string): number {
    if (typeof earlier !== "number" || field.endsWith("_usd")) return value;
    return isMeasured(field) || this.#isRecent(String(value)) ? earlier : value;
  }

  #text(text: string, earlier: unknown, { field, isResponse }: { field: string; isResponse: boolean }): string {
    const before = typeof earlier === "string" ? earlier : "";
    if (randomTexts.has(field) && before !== "") return before;
    const lines = text.split("\n");
    const linesBefore = before.split("\n");
    const aligned = lines.length === linesBefore.length;
    return lines.map((line, at) => this.#line(line, aligned ? (linesBefore[at] ?? "") : "", isResponse)).join("\n");
  }

  #line(line: string, before: string, isResponse: boolean): string {
    const found = line.match(tokens) ?? [];
    const foundBefore = before.match(tokens) ?? [];
    const isAligned =
      line.replaceAll(tokens, "") === before.replaceAll(tokens, "") && found.length === foundBefore.length;
    let at = 0;
    return line.replaceAll(tokens, (token) => {
      const earlier = isAligned ? foundBefore[at++] : undefined;
      return this.#token(token, earlier, isResponse);
    });
  }

  #token(token: string, earlier: string | undefined, isResponse: boolean): string {
    const isTime = times.exec(token)?.[0] === token;
    if (isTime) return this.#isRecent(token) ? (earlier ?? this.#earlier.get(token) ?? token) : token;
    const known = this.#earlier.get(token);
    if (known !== undefined || earlier === undefined || !isResponse) return known ?? token;
    // Two objects would become one.
    if (this.#given.has(earlier)) return token;
    this.#earlier.set(token, earlier);
    this.#given.add(earlier);
    return earlier;
  }

  #isRecent(token: string): boolean {
    return /^\d+$/.test(token) && ![10, 13, 16].includes(token.length) ? false : timeOf(token) > this.#since;
  }
}

/** @param startedAt when the new recording began, in milliseconds since 1970 */
export function withEarlierValues(
  recorded: readonly Recorded[],
  { earlier, startedAt }: { readonly earlier: readonly Recorded[]; readonly startedAt: number },
): Recorded[] {
  const values = new EarlierValues(startedAt);
  return recorded.map((one) => {
    const before = earlier.find(({ operation, name }) => operation === one.operation && name === one.name);
    // First, as it may contain an identifier of the request that no earlier response has.
    const value = values.response(one.response.value, before?.response.value);
    const { path, query, body } = one;
    const request = values.request({ path, query, body }, before) as Pick<Recorded, "path" | "query" | "body">;
    return { ...one, ...request, response: { ...one.response, value } };
  });
}
