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
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { systemClock } from "@uag/runtime/clock";
import type { HealthCheck } from "@uag/runtime/health";
import { newId } from "@uag/runtime/ids";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { Admitter } from "./admitter.ts";
import { Adopter } from "./adopt.ts";
import { type JournalDirectory, openJournalDirectory } from "./journal/directory.ts";
import { onKeyChanged } from "./key-changes.ts";
import { admitFreeWithin, admitTaskWithin, admitWithin } from "./limits/admit-within.ts";
import { Limits } from "./limits/limits.ts";
import type { Reservation } from "./limits/reservation.ts";
import { Meters } from "./meters.ts";
import type { AdmissionOptions } from "./options.ts";
import { Publisher } from "./publish/publisher.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { Succession } from "./succession.ts";
import { settleTask } from "./tasks.ts";
import type { AdmissionOfProcess, AdmitRequest, AdmitTask, Admitted } from "./types.ts";

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
      work.catch((error: unknown) => log.error({ err: error }, "usage journal work failed"));
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
  const admission = new GrantAdmission({ ...options, clock }, { dependencies, journals, meters, owner });
  const limits = new Limits({ billing: limitService, bus, clock, log, idleMs: options.idleMs ?? defaultIdleMs });
  await admission.begin(owner);
  return {
    admit: (request) => admitWithin(limits, request, { admission, refused: (code) => meters.refused(code) }),
    admitFree: (request) => admitFreeWithin(limits, request),
    admitTask: (task) => admitTaskWithin(limits, task, (admitted) => admission.admitTask(admitted)),
    findTaskGrant: (task) => admission.findTaskGrant(task),
    settleTask: (event) => admission.settleTask(event),
    check: admission.check,
    alive: admission.alive,
    async [Symbol.asyncDispose]() {
      await admission.stop();
      await limits[Symbol.asyncDispose]();
      await journals[Symbol.asyncDispose]();
      for (const client of [billing, limitService, metering]) client[Symbol.dispose]();
    },
  };
}

interface Parts {
  readonly dependencies: SessionDependencies;
  readonly journals: JournalDirectory;
  readonly meters: Meters;
  readonly owner: string;
}

class GrantAdmission {
  readonly #options: AdmissionOptions;
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  readonly #succession: Succession;
  readonly #admitter: Admitter;
  #adopting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    const { dependencies, journals } = parts;
    this.#succession = new Succession({
      dependencies,
      create: (id) => journals.create(id),
      newHolderId: () => newId("hold"),
      idleMs: options.idleMs ?? defaultGrantIdleMs,
      signal: this.#stopping.signal,
    });
    this.#admitter = new Admitter({ ...parts, succession: this.#succession });
  }

  async begin(holderId: string): Promise<void> {
    const { dependencies } = this.#parts;
    const { bus, adoptMs = 30_000 } = this.#options;
    await this.#succession.begin(holderId);
    bus.subscribe(recallSubjects.all, (_, subject) => this.#succession.recall(recallSubjects.idOf(subject)));
    onKeyChanged(this.#options, (keyId) => this.#succession.recallKey(keyId));
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    this.#adopting = new Adopter({ ...this.#parts, signal: this.#stopping.signal }).pollForever(adoptMs);
    dependencies.quiet(this.#adopting);
  }

  #tick(): void {
    this.#succession.advance();
    this.#parts.meters.sample(this.#succession, this.#parts.dependencies.clock.monotonic());
  }

  get check(): HealthCheck {
    return this.#succession.check;
  }

  get alive(): HealthCheck {
    return this.#succession.alive;
  }

  admit(request: AdmitRequest, reservation?: Reservation): Promise<Admitted> {
    return this.#admitter.admit(request, reservation);
  }

  admitTask(task: AdmitTask): Promise<string> {
    return this.#admitter.admitTask(task);
  }

  findTaskGrant(task: AdmitTask): Promise<string> {
    return this.#admitter.findTaskGrant(task);
  }

  settleTask(event: UsageEvent): Promise<void> {
    return settleTask({ ...this.#parts, succession: this.#succession }, event);
  }

  /**
   * Stops admitting, then waits for open requests and pending deliveries; whatever remains stays on
   * disk for the next start.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#succession.stop(this.#options.stopMs ?? defaultStopMs);
    clearInterval(this.#timer);
    await this.#adopting;
  }
}
