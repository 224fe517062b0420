import type { Json, Recorded, Sent } from "./types.ts";

const maxChars = 240;
/** Longer lists of objects are truncated to this. */
const maxObjects = 2;
const maxScalars = 8;
/** Maximum events shown per stream. */
const maxEvents = 6;
const secretFields = ["key", "token", "secret"] as const;
const secretChars = 8;

/** Shortens requests and responses for readers, and removes everything specific to this machine. */
export class Shown {
  readonly #names: Map<string, string>;

  /** @param names replacements by original text */
  constructor(names: Readonly<Record<string, string>>) {
    this.#names = new Map(Object.entries(names));
  }

  /** Secrets that a response reveals once are truncated, wherever they occur. */
  hideSecretsOf(response: Json): void {
    for (const field of secretFields) {
      const secret = response[field];
      if (typeof secret === "string") this.#names.set(secret, `${secret.slice(0, secretChars)}…`);
    }
  }

  /** Requests stay complete, so that they can be sent unchanged. */
  request({ path, query, body }: Sent): Pick<Recorded, "path" | "query" | "body"> {
    return this.#renamed({ path, query, body });
  }

  /** Undefined for a response that is not text. */
  response(type: string, value: Json | string): unknown {
    if (type === "application/json") return shortened(this.#renamed(value));
    if (type === "text/event-stream") return events(this.#renamed(value as string));
    return type.startsWith("audio/") ? undefined : rows(this.#renamed(value as string));
  }

  #renamed<T>(value: T): T {
    if (typeof value === "string") return this.#text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.#renamed(item)) as T;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#renamed(item)])) as T;
  }

  #text(text: string): string {
    let changed = text;
    for (const [name, shown] of this.#names) changed = changed.replaceAll(name, shown);
    return changed;
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length > maxChars ? `${value.slice(0, maxChars)}…` : value;
  if (Array.isArray(value)) {
    const max = typeof value[0] === "object" ? maxObjects : maxScalars;
    return value.slice(0, max).map(shortened);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
}

/** The first and last events; a line that begins with a colon is a comment in an event stream. */
function events(text: string): string {
  const all = text.split("\n\n").filter((event) => event !== "");
  const half = maxEvents / 2;
  const some = all.length > maxEvents ? [...all.slice(0, half), ": …", ...all.slice(-half)] : all;
  return some.map((event) => `${event}\n\n`).join("");
}

const rows = (text: string): string =>
  text
    .split("\n")
    .slice(0, maxObjects + 1)
    .join("\n");
