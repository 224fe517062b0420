import type { Fields } from "@uag/pipeline/request/body";

/** What a conversation is recognized by, characters of each: 4 KiB in all. */
const maxModel = 256;
const maxKey = 512;
const maxSystem = 1_024;
const maxTools = 768;
const maxFirst = 2_048;

/** FNV-1a over UTF-16 units: a conversation is no secret, and every process gets the same number. */
class Digest {
  #hash = 0x811c9dc5;
  #left = 0;

  get value(): number {
    return this.#hash >>> 0;
  }

  /** Adds the texts and numbers of a value, until so many characters were added. */
  add(value: unknown, maxCharacters: number): this {
    this.#left = maxCharacters;
    this.#walk(value);
    return this;
  }

  #walk(value: unknown): void {
    if (this.#left <= 0) return;
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number" || typeof value === "boolean") this.#text(String(value));
    else if (typeof value === "object" && value !== null) this.#members(value);
  }

  #members(value: object): void {
    for (const name in value) {
      if (this.#left <= 0) return;
      this.#text(name);
      this.#walk((value as Fields)[name]);
    }
  }

  /** The length distinguishes texts that begin alike. */
  #text(text: string): void {
    const length = Math.min(text.length, this.#left);
    let hash = this.#unit(this.#hash, text.length);
    for (let at = 0; at < length; at++) hash = this.#unit(hash, text.charCodeAt(at));
    this.#hash = hash;
    this.#left -= length + 1;
  }

  #unit(hash: number, unit: number): number {
    return Math.imul(hash ^ unit, 0x01000193);
  }
}

/** Roles of messages before the first of the user's. */
const instructing: ReadonlySet<unknown> = new Set(["system", "developer"]);

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** The client's own name of the conversation, or of its end user. */
function keyIn({ prompt_cache_key: cacheKey, metadata, user }: Fields): string | undefined {
  const userId = isObject(metadata) ? metadata["user_id"] : undefined;
  return [cacheKey, userId, user].find((key): key is string => typeof key === "string" && key !== "");
}

/** Adds the messages that later requests of the conversation repeat: those up to the first of the user's. */
function addFirst(digest: Digest, messages: unknown): void {
  if (!Array.isArray(messages)) {
    digest.add(messages, maxFirst);
    return;
  }
  for (const message of messages as unknown[]) {
    const instructs = isObject(message) && instructing.has(message["role"]);
    digest.add(message, instructs ? maxSystem : maxFirst);
    if (!instructs) return;
  }
}

/**
 * A number that the requests of one conversation share, by which they are sent to the same
 * credential, whose prompt cache has their beginning: from the client's `prompt_cache_key`,
 * `metadata.user_id` or `user`, else from the model, the instructions, the tools and the first
 * message. It reads at most 4 KiB characters of them, so that it takes a few microseconds.
 * @param owner the account: equal conversations of two accounts are two
 */
export function affinityOf(fields: Fields, model: string, owner: string): number {
  const digest = new Digest().add(owner, maxModel).add(model, maxModel);
  const key = keyIn(fields);
  if (key !== undefined) return digest.add(key, maxKey).value;
  const { system, instructions, systemInstruction, tools, messages, input, contents } = fields;
  digest.add(system ?? instructions ?? systemInstruction, maxSystem).add(tools, maxTools);
  addFirst(digest, messages ?? input ?? contents);
  return digest.value;
}
