import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@uag/kit/clock.ts";
import { type GatewayError, toGatewayError } from "@uag/kit/errors.ts";
import type { HealthCheck } from "@uag/kit/health.ts";
import { newId } from "@uag/kit/ids.ts";
import { type JournalHome, openJournalHome } from "@uag/kit/journal/home.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { adoptForever } from "./adopt.ts";
import { changedKey } from "./changed-key.ts";
import { admitTaskWithin, admitWithin } from "./limits/admit-within.ts";
import { Limits } from "./limits/limits.ts";
import type { Taken } from "./limits/taken.ts";
import { Meters } from "./meters.ts";
import { type AdmissionOptions, usageSubject } from "./options.ts";
import { Publisher } from "./publish/publisher.ts";
import { refuseForJournal } from "./refusals.ts";
import { OpenRequest } from "./request.ts";
import type { Setting } from "./setting.ts";
import { Succession } from "./succession.ts";
import { findTaskGrant, settleTask } from "./tasks.ts";
import type { AdmissionOfProcess, AdmitRequest, AdmitTask, Admitted } from "./types.ts";

const tickMs = 1_000;
const defaultIdleMs = 10_000;
const defaultStopMs = 15_000;

/**
 * Opens this process's journal, says hello to billing, and begins to bring home what dead processes left behind. Does
 * not wait for billing, metering or the broker: without a grant nothing is admitted, that is all.
 */
export async function createAdmission(options: AdmissionOptions): Promise<AdmissionOfProcess> {
  const { log, bus, identity, clock = systemClock } = options;
  const billing = createRpcClient<GrantServiceServer>(GrantServiceService, options.billing.address, identity);
  const limitService = createRpcClient<LimitServiceServer>(LimitServiceService, options.billing.address, identity);
  const metering = createRpcClient<MeteringServiceServer>(MeteringServiceService, options.metering.address, identity);
  const meters = new Meters(options.metrics, clock.monotonic());
  const owner = options.holderId ?? newId("hold");
  const settings = { ...options.publish, subject: usageSubject(options.streamPrefix ?? "") };
  const confirm = async (batchIds: string[]): Promise<string[]> =>
    (await metering.confirmApplied({ batchIds })).applied;
  const setting: Setting = {
    service: options.service,
    billing,
    clock,
    log,
    wallet: options.wallet ?? {},
    publisher: (of) => new Publisher({ ...of, bus, clock, log, settings, confirm }),
    rest: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
    quiet: (work) => {
      work.catch((error: unknown) => log.error({ err: error }, "work on the usage journal failed"));
    },
  };
  const home = await openJournalHome({
    dir: options.journalDir,
    owner,
    journal: {
      ...(options.journalMaxBytes === undefined ? {} : { maxBytes: options.journalMaxBytes }),
      ...(options.journalSegmentBytes === undefined ? {} : { segmentBytes: options.journalSegmentBytes }),
      damaged: (damage) => {
        meters.damaged.inc(damage.bytes);
        log.error({ damage }, "the usage journal has bytes that cannot be read");
      },
      failed: (error) => log.error({ err: error }, "the usage journal cannot write"),
    },
  });
  const admission = new GrantAdmission({ ...options, clock }, { setting, home, meters, owner });
  const limits = new Limits({ billing: limitService, bus, clock, log, idleMs: options.idleMs ?? defaultIdleMs });
  await admission.begin(owner);
  return {
    admit: (request) => admitWithin(limits, request, { admission, refused: (code) => meters.refused(code) }),
    admitTask: (task) => admitTaskWithin(limits, task, (admitted) => admission.admitTask(admitted)),
    findTaskGrant: (task) => admission.findTaskGrant(task),
    settleTask: (event) => admission.settleTask(event),
    check: admission.check,
    alive: admission.alive,
    async [Symbol.asyncDispose]() {
      await admission.stop();
      await limits[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
      for (const client of [billing, limitService, metering]) client[Symbol.dispose]();
    },
  };
}

interface Parts {
  readonly setting: Setting;
  readonly home: JournalHome;
  readonly meters: Meters;
  readonly owner: string;
}

class GrantAdmission {
  readonly #options: AdmissionOptions;
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  readonly #succession: Succession;
  #adopting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    const { setting, home } = parts;
    this.#succession = new Succession({
      ...{ setting, create: (id) => home.create(id), newHolderId: () => newId("hold") },
      ...{ idleMs: options.idleMs ?? defaultIdleMs, signal: this.#stopping.signal },
    });
  }

  async begin(holderId: string): Promise<void> {
    const { setting, home, owner, meters } = this.#parts;
    const { bus, adoptMs: everyMs = 30_000 } = this.#options;
    await this.#succession.begin(holderId);
    bus.subscribe("billing.recall.*", (_, subject) => {
      this.#succession.recall(subject.slice("billing.recall.".length));
    });
    bus.subscribe("billing.key-changed", (data) => this.#succession.recallKey(changedKey(data)));
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    this.#adopting = adoptForever({ setting, home, owner, everyMs, meters, signal: this.#stopping.signal });
    setting.quiet(this.#adopting);
  }

  #tick(): void {
    this.#succession.advance();
    this.#parts.meters.sample(this.#succession, this.#parts.setting.clock.monotonic());
  }

  get check(): HealthCheck {
    return this.#succession.check;
  }

  get alive(): HealthCheck {
    return this.#succession.alive;
  }

  admit(request: AdmitRequest, taken?: Taken): Promise<Admitted> {
    const incarnation = this.#succession.current;
    if (incarnation === undefined) return this.#admitLater(request, taken);
    const { state } = incarnation.journal;
    if (state !== "ok") return this.#refuse(refuseForJournal(state));
    if (!incarnation.lease.live || this.#stopping.signal.aborted) return this.#admitLater(request, taken);
    if (request.holdNanoUsd <= 0n) return Promise.resolve(new OpenRequest(incarnation, request, { taken }));
    const account = incarnation.account(request.caller);
    const grant = account.take(request.holdNanoUsd);
    if (grant === undefined) return this.#admitLater(request, taken);
    this.#parts.meters.fromMemory.inc();
    return Promise.resolve(new OpenRequest(incarnation, request, { account, grant, taken }));
  }

  /** What cannot be admitted from memory: renews the lease if it ran out, and waits for a grant. */
  async #admitLater(request: AdmitRequest, taken?: Taken): Promise<Admitted> {
    const { meters, setting } = this.#parts;
    const since = setting.clock.monotonic();
    try {
      const incarnation = await this.#succession.live();
      if (request.holdNanoUsd <= 0n) return new OpenRequest(incarnation, request, { taken });
      const account = incarnation.account(request.caller);
      const grant = await incarnation.waitForGrant(account, request.holdNanoUsd);
      meters.fromBilling.inc();
      return new OpenRequest(incarnation, request, { account, grant, taken });
    } catch (error) {
      throw this.#refused(error);
    } finally {
      meters.waited.observe((setting.clock.monotonic() - since) / 1_000);
    }
  }

  admitTask(task: AdmitTask): Promise<string> {
    const state = this.#succession.current?.journal.state ?? "ok";
    return state === "ok" ? this.findTaskGrant(task) : this.#refuse(refuseForJournal(state));
  }

  async findTaskGrant(task: AdmitTask): Promise<string> {
    try {
      return await findTaskGrant({ ...this.#parts, succession: this.#succession }, task);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  settleTask(event: UsageEvent): Promise<void> {
    return settleTask({ ...this.#parts, succession: this.#succession }, event);
  }

  #refused(error: unknown): GatewayError {
    const known = toGatewayError(error);
    this.#parts.meters.refused(known.code);
    return known;
  }

  #refuse(error: GatewayError): Promise<never> {
    return Promise.reject(this.#refused(error));
  }

  /** Admits no more, waits for open requests and for what is on its way; the rest stays on disk for the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#succession.stop(this.#options.stopMs ?? defaultStopMs);
    clearInterval(this.#timer);
    await this.#adopting;
  }
}
