import type { ConfirmAppliedResponse, UsageStream } from "@uag/proto/metering/v1/metering.ts";
import { backoffMs } from "@uag/runtime/backoff";
import { type BatchKey, signBatch } from "@uag/runtime/batch-mac";
import type { Bus } from "@uag/runtime/bus";
import type { Clock } from "@uag/runtime/clock";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Logger } from "@uag/runtime/log";
import type { Journal, Position } from "../journal/journal.ts";
import { readBatch, readBatches } from "./batch-reader.ts";
import { CoalescedTask } from "./coalesced-task.ts";
import { nextGathering } from "./gathering.ts";
import { type Batch, Unconfirmed } from "./unconfirmed.ts";

/** How batches of finals are published and confirmed. */
export interface PublisherSettings {
  /** The subject of a partition's batches. */
  readonly subjectOf: (partition: number) => string;
  /** Proves the publisher's identity to metering. */
  readonly batchKey?: BatchKey | undefined;
  /**
   * How long finals are gathered at least, milliseconds. Default 250: every batch costs three
   * transactions downstream. While many accounts are busy, up to eight times as long.
   */
  readonly gatherMs?: number;
  /**
   * How often metering is asked which batches are applied while any is unconfirmed, milliseconds.
   * Default 1,000.
   */
  readonly confirmMs?: number;
  /**
   * A batch neither applied nor in the stream after this many milliseconds is published again.
   * Default 30,000; doubles each time.
   */
  readonly republishMs?: number;
}

/** What a {@link Publisher} reads, and where it publishes. */
export interface PublisherOptions {
  /** Written into the batches. */
  readonly holderId: string;
  /** Batch ids are this prefix and a number; must be globally unique. */
  readonly batchPrefix: string;
  readonly journal: Journal;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: PublisherSettings;
  /** Which of these batches are applied, and what the stream held before that lookup. */
  readonly confirm: (batchIds: string[]) => Promise<ConfirmAppliedResponse>;
  /** Called when batches were confirmed: the journal may be trimmed up to `keepSegment`. */
  readonly confirmed: () => void;
}

/** Messages in flight at once: those of one read, which are few or small. */
const inFlight = 64;
const maxBytesKept = 16 * 1024 * 1024;
const ackTimeoutMs = 5_000;
const maxRequested = 1_000;
const maxRepublishMs = 600_000;
/**
 * How long a sequence number proves that the stream still holds a batch: deletions from the
 * stream's middle do not show in its range.
 */
const believedMs = 3_600_000;

/**
 * True when a stream in this state may still hold that message: keeps an overload from feeding
 * itself with copies.
 */
function mayHold(stream: UsageStream | undefined, sequence: bigint): boolean {
  return stream !== undefined && sequence >= stream.firstSequence && sequence <= stream.lastSequence;
}

/**
 * Publishes a journal's finals to JetStream and asks metering which are applied. The journal is the
 * queue: memory holds only a read position, the batches in flight and the unconfirmed ones.
 */
export class Publisher implements AsyncDisposable {
  readonly #options: PublisherOptions;
  readonly #publishing: CoalescedTask;
  readonly #gatherMs: number;
  #gatheringMs: number;
  readonly #confirming: CoalescedTask;
  readonly #unconfirmed = new Unconfirmed(maxBytesKept);
  #fresh: Batch[] = [];
  #cursor: Position;
  #count = 0;
  #lastSequence = 0;
  /** When the stream was created, if known. */
  #streamMadeMs: bigint | undefined;
  #stopped = false;
  /**
   * Unsubscribes: every holder and adopted journal has a publisher, and the bus outlives them all.
   */
  readonly #forgetBus: () => void;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#cursor = options.journal.start;
    const { gatherMs = 250, confirmMs = 1_000 } = options.settings;
    this.#gatherMs = gatherMs;
    this.#gatheringMs = gatherMs;
    const failed = (error: unknown): void => options.log.debug({ err: error }, "publishing paused; retrying");
    this.#publishing = new CoalescedTask({ delayMs: () => this.#gatheringMs, step: () => this.#publish(), failed });
    this.#confirming = new CoalescedTask({ delayMs: () => confirmMs, step: () => this.#confirm(), failed });
    options.journal.onGrown(() => this.#publishing.request());
    this.#publishing.request();
    this.#forgetBus = options.bus.onChange((connected) => {
      if (connected) this.#hurry();
    });
  }

  /**
   * The oldest segment that holds an unconfirmed final. Acks arrive in any order, so all batches
   * are checked.
   */
  get keepSegment(): number {
    let oldest = this.#cursor.segment;
    for (const { from } of this.#fresh) oldest = Math.min(oldest, from.segment);
    for (const { from } of this.#unconfirmed.values()) oldest = Math.min(oldest, from.segment);
    return oldest;
  }

  get unconfirmedEvents(): number {
    return this.#unconfirmed.events + this.#fresh.reduce((sum, { events }) => sum + events, 0);
  }

  /** True when every final on disk is confirmed. */
  get done(): boolean {
    return this.#allPublished && this.#unconfirmed.size === 0;
  }

  get #allPublished(): boolean {
    return this.#hasRead(this.#options.journal.end) && this.#fresh.length === 0;
  }

  #hasRead({ segment, offset }: Position): boolean {
    return this.#cursor.segment > segment || (this.#cursor.segment === segment && this.#cursor.offset >= offset);
  }

  async #publish(): Promise<boolean> {
    // What is written meanwhile is gathered for the next step: here it would make small messages.
    const { end } = this.#options.journal;
    const gathered = { events: 0, batches: 0 };
    while (!this.#stopped && this.#options.bus.connected) {
      while (this.#fresh.length < inFlight && !this.#hasRead(end) && (await this.#readBatches(gathered)));
      const batches = this.#fresh.slice(0, inFlight);
      if (batches.length === 0) break;
      await this.#send(batches);
    }
    this.#gatheringMs = nextGathering(this.#gatherMs, this.#gatheringMs, gathered);
    return !this.#allPublished;
  }

  async #readBatches(gathered: { events: number; batches: number }): Promise<boolean> {
    const { journal, holderId, batchPrefix } = this.#options;
    const newId = (): string => `${batchPrefix}:${++this.#count}`;
    const read = await readBatches(journal, this.#cursor, { newId, holderId });
    if (read === undefined) return false;
    this.#fresh.push(...read.batches);
    this.#cursor = read.next;
    gathered.batches += read.batches.length;
    for (const { events } of read.batches) gathered.events += events;
    return true;
  }

  async #send(batches: Batch[]): Promise<void> {
    const before = this.#lastSequence;
    const results = await Promise.allSettled(batches.map((batch) => this.#sendOne(batch)));
    this.#fresh = this.#fresh.filter(({ published }) => published === 0);
    const fulfilled = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const fresh = fulfilled.filter(({ duplicate }) => !duplicate).map(({ seq }) => seq);
    if (fresh.length > 0) {
      this.#lastSequence = Math.max(...fresh);
      // Sequence numbers fall only when the stream was recreated: its previous contents are gone.
      if (Math.min(...fresh) <= before) this.#forgetSequences();
    }
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }

  async #sendOne(batch: Batch): Promise<{ seq: number; duplicate: boolean }> {
    const { bus, journal, holderId, settings, clock } = this.#options;
    const payload = batch.payload ?? (await readBatch(journal, batch, holderId));
    const msgID = batch.published === 0 ? batch.id : `${batch.id}#${batch.published}`;
    const proof = settings.batchKey && { headers: signBatch(settings.batchKey, payload) };
    const options = { ...proof, msgID, timeout: ackTimeoutMs };
    const ack = await bus.connection.jetstream().publish(settings.subjectOf(batch.partition), payload, options);
    crashPoint("published");
    const waitMs = backoffMs(batch.published, { firstMs: settings.republishMs ?? 30_000, maxMs: maxRepublishMs });
    const now = clock.monotonic();
    batch.dueAt = now + waitMs;
    batch.sequence = BigInt(ack.seq);
    batch.publishedAt = now;
    if (batch.published++ === 0) this.#unconfirmed.add(batch);
    this.#confirming.request();
    return ack;
  }

  async #confirm(): Promise<boolean> {
    const batches = [...this.#unconfirmed.values()];
    for (let n = 0; n < batches.length; n += maxRequested) {
      const requested = batches.slice(n, n + maxRequested);
      const response = await this.#options.confirm(requested.map(({ id }) => id));
      const applied = new Set(response.applied);
      this.#noteStream(response.stream);
      for (const id of applied) this.#unconfirmed.remove(id);
      if (applied.size > 0) crashPoint("confirmed");
      if (applied.size > 0) this.#options.confirmed();
      const now = this.#options.clock.monotonic();
      const isWaiting = (batch: Batch): boolean =>
        now - batch.publishedAt < believedMs && mayHold(response.stream, batch.sequence);
      const due = requested.filter((batch) => !applied.has(batch.id) && batch.dueAt <= now && !isWaiting(batch));
      if (due.length > 0 && this.#options.bus.connected) await this.#republish(due);
    }
    return this.#unconfirmed.size > 0;
  }

  async #republish(due: Batch[]): Promise<void> {
    this.#options.log.warn({ batches: due.length }, "batches were not applied in time; republishing");
    for (let n = 0; n < due.length; n += inFlight) {
      const results = await Promise.allSettled(due.slice(n, n + inFlight).map((batch) => this.#sendOne(batch)));
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw failure.reason;
    }
  }

  #noteStream(stream: UsageStream | undefined): void {
    if (stream === undefined) return;
    if (this.#streamMadeMs !== undefined && this.#streamMadeMs !== stream.createdMs) this.#forgetSequences();
    this.#streamMadeMs = stream.createdMs;
  }

  /** The stream was recreated: it may not hold what was published before. */
  #forgetSequences(): void {
    for (const batch of this.#unconfirmed.values()) batch.sequence = 0n;
    this.#hurry();
  }

  /**
   * The stream may have lost its contents: brings forward the republish of whatever metering does
   * not apply soon.
   */
  #hurry(): void {
    const soon = this.#options.clock.monotonic() + Math.min(2_000, this.#options.settings.republishMs ?? 30_000);
    for (const batch of this.#unconfirmed.values()) batch.dueAt = Math.min(batch.dueAt, soon);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#forgetBus();
    await Promise.all([this.#publishing[Symbol.asyncDispose](), this.#confirming[Symbol.asyncDispose]()]);
  }
}
