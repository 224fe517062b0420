import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { randomText } from "@uag/runtime/ids";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import type { EventLog } from "../state/event-log.ts";
import type { JobDocument } from "./job.ts";
import type { JobStore } from "./job-store.ts";
import { openingEvents } from "./stream-events.ts";
import type { JobError } from "./view.ts";

/** Events are stored together that come within this time. */
const collectMs = 150;
/** With more bytes than this to store, the provider's stream waits. */
const maxPendingBytes = 512 * 1024;
/** The stream is opened before it is run, and ended by what is stored. */
const leftOut = new Set(["response.created", "response.queued", "response.completed", "response.incomplete"]);

/** What an {@link EventWriter} writes, and where. */
export interface EventWriterOptions {
  readonly jobs: Pick<JobStore, "addEvents">;
  readonly job: JobDocument;
  /** The response object that is queued. */
  readonly queued: Buffer;
  /** Later events are left out. The last has the whole response. */
  readonly maxBytes: number;
}

/** Stores the events of a job's stream as they come, numbered. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #log: EventLog;
  #events: number;
  #bytes = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #storing: Promise<void> | undefined;
  #isOver = false;
  #failure: JobError | undefined;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#log = { place: `events/${randomText(24)}`, pieces: 0, events: 0, bytes: 0 };
    const opening = openingEvents(options.queued);
    this.#events = opening.length;
    for (const event of opening) this.#append(event);
  }

  /** The error that the stream ended with. */
  get failure(): JobError | undefined {
    return this.#failure;
  }

  /** Takes whole events. False when the next should wait for {@link drained}. */
  write(bytes: Buffer): boolean {
    for (const event of new SseDecoder({ maxEventBytes: bytes.length }).push(bytes)) this.#take(event);
    if (this.#pendingBytes > 0) this.#storing ??= this.#storeSoon();
    return this.#pendingBytes <= maxPendingBytes;
  }

  /** Resolves when more may be written. */
  async drained(signal: AbortSignal): Promise<void> {
    while (this.#pendingBytes > maxPendingBytes) {
      signal.throwIfAborted();
      await this.#storing;
    }
  }

  /** Stores what is left; what is written from now on is left out. Rejects when it could not be stored. */
  async close(): Promise<EventLog> {
    this.#isOver = true;
    await this.#storing;
    await this.#store();
    return this.#log;
  }

  #take({ name, data }: SseEvent): void {
    const type = data && textOf(fieldsOf(parsedJson(data.toString("utf8")))["type"]);
    if (data === undefined || type === undefined || leftOut.has(type)) return;
    if (type === "error" || type === "response.failed") {
      this.#failure = errorOf(data);
      return;
    }
    if (this.#isOver) return;
    const number = new Map([["sequence_number", String(this.#events)]]);
    const event = encodeSse({ name, data: editMembers(data, topLevelMembers(data), number).toString("utf8") });
    if (this.#bytes + event.length > this.#options.maxBytes) this.#isOver = true;
    else {
      this.#events++;
      this.#append(event);
    }
  }

  #append(event: Buffer): void {
    this.#pending.push(event);
    this.#pendingBytes += event.length;
    this.#bytes += event.length;
  }

  /** What could not be stored is stored with what comes next; closing reports it. */
  async #storeSoon(): Promise<void> {
    await sleep(collectMs);
    await this.#store().catch(() => undefined);
    this.#storing = this.#pendingBytes > 0 && !this.#isOver ? this.#storeSoon() : undefined;
  }

  async #store(): Promise<void> {
    const count = this.#pending.length;
    if (count === 0) return;
    const { jobs, job } = this.#options;
    const bytes = Buffer.concat(this.#pending);
    const log = { ...this.#log, events: this.#log.events + count };
    const stored = await jobs.addEvents(job, { log, bytes });
    // Another worker has the job: it has a log of its own.
    if (stored === undefined) this.#isOver = true;
    else this.#log = stored;
    this.#pending = this.#pending.slice(count);
    this.#pendingBytes -= bytes.length;
  }
}

/** The error in the event `error`, or in the response of `response.failed`. */
function errorOf(data: Buffer): JobError {
  const fields = fieldsOf(parsedJson(data.toString("utf8")));
  const { code, message } = fields["type"] === "error" ? fields : fieldsOf(fieldsOf(fields["response"])["error"]);
  return { code: textOf(code) ?? "server_error", message: textOf(message) ?? "The request failed." };
}
