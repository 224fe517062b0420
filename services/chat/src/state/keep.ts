import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { crashPoint } from "@uag/runtime/crash-point";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import type { EventWriter } from "../background/event-writer.ts";
import { itemIds, itemsOfTurn, memberOf } from "./items.ts";
import type { ResponseStore } from "./store.ts";
import type { Turn } from "./turn.ts";

/** How long the client waits for its response to be stored; after that it is sent as one that is not. */
const patienceMs = 2_500;

/** A response that is made in the background. */
export interface KeptJob {
  readonly id: string;
  /** Whether the response may still be stored. */
  mayStore(): Promise<boolean>;
  /** Where its events are stored, if it is streamed. */
  readonly events?: EventWriter | undefined;
}

/** What {@link ResponseKeeper} needs. */
export interface KeeperOptions {
  /** Default: responses have their providers' ids. */
  readonly job?: KeptJob;
  readonly store: ResponseStore;
  /** Is called when a response could not be stored. */
  readonly failed: (requestId: string, error: unknown) => void;
}

/** A complete response that is about to be sent. */
export interface Completed {
  readonly requestId: string;
  readonly turn: Turn;
}

/** A response that continues those of its turn, with other members. */
function withTurn(
  { previousIds }: Turn,
  response: Buffer,
  others: readonly (readonly [string, string])[] = [],
): Buffer {
  const previous = ["previous_response_id", JSON.stringify(previousIds.at(-1) ?? null)] as const;
  return editMembers(response, topLevelMembers(response), new Map([previous, ...others]));
}

/** An event with another response. */
function withResponse({ name, data }: { readonly name: string; readonly data: Buffer }, response: Buffer): Buffer {
  return encodeSse({
    name,
    data: editMembers(data, topLevelMembers(data), new Map([["response", response]])).toString("utf8"),
  });
}

/** Stores responses before the client has them, so that it can always continue what it got. */
export class ResponseKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Stores a response object, and returns it as the client gets it. Never rejects. */
  async response(completed: Completed, response: Buffer): Promise<Buffer> {
    const stored = this.#asStored(completed, response);
    return (await this.#put(completed, stored)) ? stored : withTurn(completed.turn, response);
  }

  /**
   * Shows in a stream's opening events, which also have the response, that it will be stored. Returns
   * a function of the stream's bytes, which are whole events; it reads nothing after the opening.
   */
  opening(completed: Completed): (bytes: Buffer) => Buffer {
    let isOpen = true;
    const edited = ({ name, data, raw }: SseEvent): Buffer => {
      const response = isOpen && data ? memberOf(data, "response") : undefined;
      isOpen &&= data === undefined || response !== undefined;
      if (data === undefined || response === undefined) return raw;
      return withResponse({ name, data }, this.#asStored(completed, response));
    };
    return (bytes) =>
      isOpen ? Buffer.concat(new SseDecoder({ maxEventBytes: bytes.length }).push(bytes).map(edited)) : bytes;
  }

  /** Does the same for the last bytes of a stream. Never rejects. */
  async closing(completed: Completed, closing: Buffer): Promise<Buffer> {
    // They are stored before the response is, which ends the stream for those who follow it.
    this.#options.job?.events?.write(closing);
    const events = new SseDecoder({ maxEventBytes: closing.length }).push(closing);
    return Buffer.concat(await Promise.all(events.map((event) => this.#event(completed, event))));
  }

  async #event(completed: Completed, { name, data, raw }: SseEvent): Promise<Buffer> {
    const response = data && memberOf(data, "response");
    if (data === undefined || response === undefined) return raw;
    return withResponse({ name, data }, await this.response(completed, response));
  }

  /** A response as it is stored; one in the background has the job's id. */
  #asStored({ turn }: Completed, response: Buffer): Buffer {
    const { job } = this.#options;
    const own =
      job &&
      ([
        ["id", JSON.stringify(job.id)],
        ["background", "true"],
      ] as const);
    return withTurn(turn, response, [["store", "true"], ...(own ?? [])]);
  }

  async #put({ turn, requestId }: Completed, response: Buffer): Promise<boolean> {
    const { store, failed, job } = this.#options;
    const { accountId, previousIds, input } = turn;
    const id = textOf(fieldsOf(parsedJson(response.toString("utf8")))["id"]) ?? "";
    const ids = itemIds(itemsOfTurn({ input, response }));
    const put = async (): Promise<boolean> => {
      try {
        const events = await job?.events?.close();
        if (job !== undefined && !(await job.mayStore())) return false;
        await store.put(accountId, { id, previousIds, input, response, itemIds: ids, events });
        crashPoint("response-stored");
        return true;
      } catch (error) {
        failed(requestId, error);
        return false;
      }
    };
    // No client waits for a response in the background.
    if (job !== undefined) return await put();
    return await Promise.race([put(), sleep(patienceMs, false, { ref: false })]);
  }
}
