import { setTimeout as sleep } from "node:timers/promises";
import { recallSubjects } from "@uag/contract/messages/billing";
import { usageSubject } from "@uag/contract/messages/usage-subjects";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import {
  type ConfirmAppliedResponse,
  type MeteringServiceServer,
  MeteringServiceService,
} from "@uag/proto/metering/v1/metering.ts";
import { systemClock } from "@uag/runtime/clock";
import type { HealthCheck } from "@uag/runtime/health";
import { newId } from "@uag/runtime/ids";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { Admitter } from "./admitter.ts";
import { Adopter } from "./adopt.ts";
import { type JournalDirectory, openJournalDirectory } from "./journal/directory.ts";
import { onKeyChanged } from "./key-changes.ts";
import { Limits } from "./limits/limits.ts";
import { Meters } from "./meters.ts";
import type { AdmissionOptions } from "./options.ts";
import { Publisher } from "./publish/publisher.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { Succession } from "./succession.ts";
import type { AdmissionOfProcess } from "./types.ts";

const tickMs = 1_000;
const defaultIdleMs = 10_000;
/**
 * An account used once a minute keeps its grant; otherwise each request would cost three
 * transactions.
 */
const defaultGrantIdleMs = 150_000;
const defaultStopMs = 15_000;

/**
 * Opens this process's journal, sends billing the first heartbeat and starts adopting the journals
 * of dead processes. Does not wait for billing, metering or the broker: without a grant, requests
 * are simply refused.
 */
export async function createAdmission(options: AdmissionOptions): Promise<AdmissionOfProcess> {
  const { log, bus, identity, clock = systemClock } = options;
  const billing = createRpcClient<GrantServiceServer>(GrantServiceService, options.billing.address, identity);
  const limitService = createRpcClient<LimitServiceServer>(LimitServiceService, options.billing.address, identity);
  const metering = createRpcClient<MeteringServiceServer>(MeteringServiceService, options.metering.address, identity);
  const meters = new Meters(options.metrics, clock.monotonic());
  const owner = options.holderId ?? newId("hold");
  const { batchKey, publish, streamPrefix = "" } = options;
  const subjectOf = (partition: number): string => usageSubject(streamPrefix, partition);
  const settings = { ...publish, batchKey, subjectOf };
  const confirm = (batchIds: string[]): Promise<ConfirmAppliedResponse> => metering.confirmApplied({ batchIds });
  const dependencies: SessionDependencies = {
    service: options.service,
    billing,
    clock,
    log,
    wallet: options.wallet ?? {},
    publisher: (of) => new Publisher({ ...of, bus, clock, log, settings, confirm }),
    delay: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
    quiet: (work) => {
      work.catch((error: unknown) => log.error({ err: error }, "background work on the usage journal failed"));
    },
  };
  const journals = await openJournalDirectory({
    dir: options.journalDir,
    owner,
    sharedFileSystem: options.sharedFileSystem,
    journal: {
      ...(options.journalMaxBytes === undefined ? {} : { maxBytes: options.journalMaxBytes }),
      ...(options.journalSegmentBytes === undefined ? {} : { segmentBytes: options.journalSegmentBytes }),
      damaged: (damage) => {
        meters.damaged.inc(damage.bytes);
        log.error({ damage }, "the usage journal has unreadable bytes");
      },
      failed: (error) => log.error({ err: error }, "writing to the usage journal failed"),
    },
  });
  const stopping = new AbortController();
  const succession = new Succession({
    dependencies,
    create: (id) => journals.create(id),
    newHolderId: () => newId("hold"),
    idleMs: options.idleMs ?? defaultGrantIdleMs,
    keepsJournal: options.journalKeep === "on",
    signal: stopping.signal,
  });
  const limits = new Limits({ billing: limitService, bus, clock, log, idleMs: options.idleMs ?? defaultIdleMs });
  const clients = [billing, limitService, metering];
  const parts = { dependencies, journals, succession, meters, owner, limits, clients, stopping };
  const admission = new ProcessAdmission(options, parts);
  await admission.begin();
  return admission;
}

interface Parts {
  readonly dependencies: SessionDependencies;
  readonly journals: JournalDirectory;
  readonly succession: Succession;
  readonly meters: Meters;
  /** The id of the first holder, and the name under which it adopts journals. */
  readonly owner: string;
  readonly limits: Limits;
  readonly clients: readonly Disposable[];
  readonly stopping: AbortController;
}

/** The admitter of a process, with the work that keeps it admitting. */
class ProcessAdmission extends Admitter implements AdmissionOfProcess {
  readonly #options: AdmissionOptions;
  readonly #parts: Parts;
  #adopting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionOptions, parts: Parts) {
    super({ ...parts, refusal: options.refusal });
    this.#options = options;
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { dependencies, succession, owner, stopping } = this.#parts;
    const { bus, adoptMs = 30_000 } = this.#options;
    await succession.begin(owner);
    bus.subscribe(recallSubjects.all, (_, subject) => succession.recall(recallSubjects.idOf(subject)));
    onKeyChanged(this.#options, (keyId) => succession.recallKey(keyId));
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    this.#adopting = new Adopter({ ...this.#parts, signal: stopping.signal }).pollForever(adoptMs);
    dependencies.quiet(this.#adopting);
  }

  #tick(): void {
    const { succession, meters, dependencies } = this.#parts;
    succession.advance();
    meters.sample(succession, dependencies.clock.monotonic());
  }

  get check(): HealthCheck {
    return this.#parts.succession.check;
  }

  get alive(): HealthCheck {
    return this.#parts.succession.alive;
  }

  /**
   * Stops admitting, then waits for open requests and pending deliveries; whatever remains stays on
   * disk for the next start.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const { stopping, succession, limits, journals, clients } = this.#parts;
    stopping.abort();
    await succession.stop(this.#options.stopMs ?? defaultStopMs);
    clearInterval(this.#timer);
    await this.#adopting;
    await limits[Symbol.asyncDispose]();
    await journals[Symbol.asyncDispose]();
    for (const client of clients) client[Symbol.dispose]();
  }
}
