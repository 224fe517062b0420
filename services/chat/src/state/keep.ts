import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { itemIds, itemsOfTurn, memberOf } from "./items.ts";
import type { ResponseStore } from "./store.ts";
import type { Turn } from "./turn.ts";

/** How long the client waits for its response to be stored; after that it is sent as one that is not. */
const patienceMs = 2_500;

/** What {@link ResponseKeeper} needs. */
export interface KeeperOptions {
  readonly store: ResponseStore;
  /** Is called when a response could not be stored. */
  readonly failed: (requestId: string, error: unknown) => void;
}

/** A complete response that is about to be sent. */
export interface Completed {
  readonly requestId: string;
  readonly turn: Turn;
}

/** Stores responses before the client has them, so that it can always continue what it got. */
export class ResponseKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Stores a response object, and returns it as the client gets it. Never rejects. */
  async response(completed: Completed, response: Buffer): Promise<Buffer> {
    const { previousIds } = completed.turn;
    const previous = new Map([["previous_response_id", JSON.stringify(previousIds.at(-1) ?? null)]]);
    const members = topLevelMembers(response);
    const stored = editMembers(response, members, new Map([...previous, ["store", "true"]]));
    return (await this.#put(completed, stored)) ? stored : editMembers(response, members, previous);
  }

  /** Does the same for the last bytes of a stream. Never rejects. */
  async closing(completed: Completed, closing: Buffer): Promise<Buffer> {
    const events = new SseDecoder({ maxEventBytes: closing.length }).push(closing);
    return Buffer.concat(await Promise.all(events.map((event) => this.#event(completed, event))));
  }

  async #event(completed: Completed, { name, data, raw }: SseEvent): Promise<Buffer> {
    const response = data && memberOf(data, "response");
    if (data === undefined || response === undefined) return raw;
    const edits = new Map([["response", await this.response(completed, response)]]);
    return encodeSse({ name, data: editMembers(data, topLevelMembers(data), edits).toString("utf8") });
  }

  async #put({ turn, requestId }: Completed, response: Buffer): Promise<boolean> {
    const { store, failed } = this.#options;
    const { accountId, previousIds, input } = turn;
    const id = textOf(fieldsOf(parsedJson(response.toString("utf8")))["id"]) ?? "";
    const ids = itemIds(itemsOfTurn({ input, response }));
    const putting = store.put(accountId, { id, previousIds, input, response, itemIds: ids }).then(
      () => true,
      (error: unknown) => {
        failed(requestId, error);
        return false;
      },
    );
    return await Promise.race([putting, sleep(patienceMs, false, { ref: false })]);
  }
}
