import { maxBodyBytesOf } from "@uag/contract/body-limits";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { callerOf } from "@uag/pipeline/caller";
import { type BodyReader, jsonBody } from "@uag/pipeline/operation/body-reader";
import { type JsonBody, parseJsonBody } from "@uag/pipeline/request/body";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { fieldsOf, listOf, textOf } from "@uag/providers/conversation/fields";
import { editMembers, listOfElements, topLevelMembers } from "@uag/providers/json-edit";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { GenerationBody } from "../format.ts";
import { opaque } from "../request/opaque.ts";
import type { ResponseDocument } from "./document.ts";
import { inputItems, itemId, itemsOfTurn, memberOf } from "./items.ts";
import type { ResponseStore } from "./store.ts";

const options = { opaque };
const plain = jsonBody(options);
const param = "previous_response_id";

/** Most responses in a row that continue one another. */
const maxTurns = 1_000;
/** Most stored responses whose items one request refers to. */
const maxReferred = 100;

/**
 * Reads requests of the Responses format. Those of an account that stores its responses may continue
 * one (`previous_response_id`) and refer to its items: they are read as if the client had sent the
 * whole conversation, so that everything after this, such as the hold, is the same for both.
 */
export function statefulBody(store: ResponseStore | undefined): BodyReader<GenerationBody> {
  return {
    ...plain,
    async read(exchange, lease) {
      const json = await plain.read(exchange, lease);
      const caller = callerOf(exchange.context);
      // What remains of a conversation elsewhere is refused with the other fields.
      if (store === undefined || caller.storesResponses !== true) return json;
      const maxBytes = maxBodyBytesOf(exchange.operation);
      return await new Expansion({ json, caller, store, lease, maxBytes }).expanded();
    },
  };
}

const invalid = (name: string, what: string): GatewayError =>
  new GatewayError("invalid_request", `${name}: ${what}.`, { param: name });

interface ExpansionOptions {
  readonly json: JsonBody;
  readonly caller: Caller;
  readonly store: ResponseStore;
  /** Accounts for what is read from the store. */
  readonly lease: BufferLease;
  /** Maximum length of the whole conversation. */
  readonly maxBytes: number;
}

/** A request with what it continues and refers to. */
class Expansion {
  readonly #options: ExpansionOptions;
  #bytes: number;

  constructor(options: ExpansionOptions) {
    this.#options = options;
    this.#bytes = options.json.body.length;
  }

  async expanded(): Promise<GenerationBody> {
    const { json, caller } = this.#options;
    const { fields, body } = json;
    const previous = await this.#previous();
    const sent = inputItems(memberOf(body, "input"));
    const own = await this.#resolved(sent);
    const turn =
      fields["store"] === false
        ? undefined
        : { accountId: caller.accountId, previousIds: previous.map(({ id }) => id), input: listOfElements(own) };
    const background = this.#background();
    if (previous.length === 0 && own === sent && background === undefined) return { ...json, turn };
    const items: Buffer[] = [];
    for (const row of previous) items.push(...(await this.#itemsOf(row)));
    const edits = new Map<string, Buffer | undefined>([
      [param, undefined],
      ["background", undefined],
    ]);
    // The check of the fields reports anything else.
    if (own.length > 0 || fields["input"] === undefined || listOf(fields["input"]).length === 0)
      edits.set("input", listOfElements([...items, ...own]));
    const whole = editMembers(body, topLevelMembers(body), edits);
    return { ...(await parseJsonBody(whole, options)), turn, background };
  }

  /** The body of a request that is to run in the background. */
  #background(): Buffer | undefined {
    const { json, lease } = this.#options;
    const { body, fields } = json;
    if (fields["background"] !== true) return undefined;
    if (fields["store"] === false) throw invalid("store", "must be true for a response in the background");
    lease.take(body.length);
    return editMembers(body, topLevelMembers(body), new Map([["background", undefined]]));
  }

  /** The responses that the request continues, oldest first. */
  async #previous(): Promise<ResponseDocument[]> {
    const { json, caller, store } = this.#options;
    const given = json.fields[param];
    if (given === undefined) return [];
    if (typeof given !== "string") throw invalid(param, "must be text");
    const { accountId } = caller;
    const last = await store.find(accountId, given);
    if (last === undefined) throw notFound(given);
    if (last.previousIds.length >= maxTurns)
      throw invalid(param, `is at the end of ${maxTurns} responses, which is the most. Start a new conversation`);
    const earlier = await store.findAll(accountId, last.previousIds);
    if (earlier === undefined) throw notFound(given, "One of the responses that it continues was deleted.");
    const rows = [...earlier, last];
    await store.renew(rows);
    return rows;
  }

  /** The items with those that references name in their place; the same list if there are none. */
  async #resolved(items: readonly Buffer[]): Promise<readonly Buffer[]> {
    const { json, caller, store } = this.#options;
    const parsed = listOf(json.fields["input"]).map(fieldsOf);
    const referred = parsed.map(({ type, id }) => (type === "item_reference" ? textOf(id) : undefined));
    const ids = new Set(referred.filter((id) => id !== undefined));
    if (ids.size === 0) return items;
    const found = new Map<string, Buffer>();
    for (const row of await store.findItems(caller.accountId, [...ids], maxReferred))
      for (const item of await this.#itemsOf(row)) {
        const id = itemId(item);
        if (id !== undefined && ids.has(id) && !found.has(id)) found.set(id, item);
      }
    return items.map((item, index) => found.get(referred[index] ?? "") ?? item);
  }

  async #itemsOf(row: ResponseDocument): Promise<Buffer[]> {
    const { lease, maxBytes, store } = this.#options;
    this.#bytes += row.bytes;
    if (this.#bytes > maxBytes)
      throw new GatewayError("payload_too_large", `The conversation is longer than ${maxBytes} bytes.`, { param });
    lease.take(row.bytes);
    return itemsOfTurn(await store.read(row));
  }
}

/** OpenAI's error for a response that is not stored. */
function notFound(id: string, why = ""): GatewayError {
  const text = `Previous response with id '${id.slice(0, 200)}' not found.${why && ` ${why}`} Send the whole conversation as input instead.`;
  return new GatewayError("previous_response_not_found", text, { param });
}
