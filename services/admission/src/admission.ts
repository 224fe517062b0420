import { systemClock } from "@uag/kit/clock.ts";
import { GatewayError, toGatewayError } from "@uag/kit/errors.ts";
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
import { Incarnation } from "./incarnation.ts";
import { leave, until } from "./leave.ts";
import { admitTaskWithin, admitWithin } from "./limits/admit-within.ts";
import { Limits } from "./limits/limits.ts";
import type { Taken } from "./limits/taken.ts";
import { Meters } from "./meters.ts";
import { type AdmissionOptions, usageSubject } from "./options.ts";
import { Publisher } from "./publish/publisher.ts";
import { outOfReach, refuseForJournal } from "./refusals.ts";
import { OpenRequest } from "./request.ts";
import type { Setting } from "./setting.ts";
import { acquireForTask, closeTaskGrant, journalTask } from "./tasks.ts";
import type { Admission, AdmitRequest, AdmitTask, Admitted, TaskAdmission } from "./types.ts";
import { isFenced } from "./wallet/account.ts";

const tickMs = 1_000;
const defaultIdleMs = 10_000;
const publishOnStopMs = 5_000;

/**
 * Opens this process's journal, says hello to billing, and begins to bring home what dead processes left behind. Does
 * not wait for billing, metering or the broker: without a grant nothing is admitted, that is all.
 */
export async function createAdmission(options: AdmissionOptions): Promise<Admission & TaskAdmission> {
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
  readonly #background = new Set<Promise<unknown>>();
  readonly #fenced = new Set<Incarnation>();
  #current!: Incarnation;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tickedAt: number;

  constructor(options: AdmissionOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#tickedAt = parts.setting.clock.monotonic();
  }

  async begin(holderId: string): Promise<void> {
    const { setting, home, owner, meters } = this.#parts;
    await this.#open(holderId);
    this.#options.bus.subscribe("billing.recall.*", (_, subject) => {
      this.#current.recall(subject.slice("billing.recall.".length));
    });
    this.#options.bus.subscribe("billing.key-changed", (data) => {
      this.#current.recallKey(changedKey(data));
    });
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    const everyMs = this.#options.adoptMs ?? 30_000;
    this.#run(adoptForever({ setting, home, owner, everyMs, meters, signal: this.#stopping.signal }));
  }

  async #open(holderId: string): Promise<void> {
    const journal = await this.#parts.home.create(holderId);
    const incarnation = new Incarnation(this.#parts.setting, { holderId, journal, fenced: (by) => this.#reopen(by) });
    this.#current = incarnation;
    await incarnation.lease.beat();
  }

  /** Goes on as a new holder; the old one brings home what it has. */
  #reopen(fenced: Incarnation): void {
    if (fenced !== this.#current || this.#opening !== undefined || this.#stopping.signal.aborted) return;
    fenced.end();
    this.#opening = this.#open(newId("hold")).finally(() => {
      this.#opening = undefined;
    });
    this.#run(this.#opening);
    this.#run(this.#retire(fenced));
  }

  async #retire(fenced: Incarnation): Promise<void> {
    const { signal } = this.#stopping;
    this.#fenced.add(fenced);
    const settled = await until(() => fenced.open.size === 0, signal);
    this.#fenced.delete(fenced);
    if (settled) await leave(this.#parts.setting, { ...fenced, holderIds: [fenced.holderId] }, signal);
  }

  #run(work: Promise<unknown>): void {
    const watched = work.finally(() => this.#background.delete(watched));
    this.#background.add(watched);
    this.#parts.setting.quiet(watched);
  }

  #tick(): void {
    const now = this.#parts.setting.clock.monotonic();
    for (const incarnation of [this.#current, ...this.#fenced]) {
      incarnation.advance(now - this.#tickedAt, this.#options.idleMs ?? defaultIdleMs);
    }
    this.#tickedAt = now;
    this.#parts.meters.sample(this.#current, now);
  }

  readonly check: HealthCheck = async () => {
    const { journal, lease } = this.#current;
    const journalHealth = await journal.check();
    if (!journalHealth.ok) return journalHealth;
    return lease.live ? { ok: true } : { ok: false, reason: "billing has not renewed this process's lease" };
  };

  admit(request: AdmitRequest, taken?: Taken): Promise<Admitted> {
    const { journal, lease } = this.#current;
    const { state } = journal;
    if (state !== "ok") return this.#refuse(refuseForJournal(state));
    if (!lease.live || this.#stopping.signal.aborted) return this.#admitLater(request, taken);
    if (request.holdNanoUsd <= 0n) return Promise.resolve(new OpenRequest(this.#current, request, { taken }));
    const account = this.#current.account(request.caller);
    const grant = account.take(request.holdNanoUsd);
    if (grant === undefined) return this.#admitLater(request, taken);
    this.#parts.meters.fromMemory.inc();
    return Promise.resolve(new OpenRequest(this.#current, request, { account, grant, taken }));
  }

  /** What cannot be admitted from memory: renews the lease if it ran out, and waits for a grant. */
  async #admitLater(request: AdmitRequest, taken?: Taken): Promise<Admitted> {
    const { meters, setting } = this.#parts;
    const since = setting.clock.monotonic();
    try {
      if (this.#stopping.signal.aborted) throw outOfReach(new Error("this process is stopping"));
      if (!this.#current.lease.live) await this.#renew();
      const incarnation = this.#current;
      if (request.holdNanoUsd <= 0n) return new OpenRequest(incarnation, request, { taken });
      const account = incarnation.account(request.caller);
      const grant = await incarnation.waitForGrant(account, request.holdNanoUsd);
      meters.fromBilling.inc();
      return new OpenRequest(incarnation, request, { account, grant, taken });
    } catch (error) {
      const known = toGatewayError(error);
      meters.refused(known.code);
      throw known;
    } finally {
      meters.waited.observe((setting.clock.monotonic() - since) / 1_000);
    }
  }

  admitTask(task: AdmitTask): Promise<string> {
    const { state } = this.#current.journal;
    return state === "ok" ? this.findTaskGrant(task) : this.#refuse(refuseForJournal(state));
  }

  async findTaskGrant(task: AdmitTask): Promise<string> {
    if (task.holdNanoUsd <= 0n) return "";
    const { meters, setting } = this.#parts;
    try {
      for (let tries = 0; ; tries++) {
        if (this.#stopping.signal.aborted) throw outOfReach(new Error("this process is stopping"));
        await this.#opening;
        const incarnation = this.#current;
        try {
          return await acquireForTask(setting.billing, incarnation.holderId, task);
        } catch (error) {
          if (!(error instanceof GatewayError) || !isFenced(error)) throw error;
          if (tries > 0) throw outOfReach(error);
          this.#reopen(incarnation);
        }
      }
    } catch (error) {
      const known = toGatewayError(error);
      meters.refused(known.code);
      throw known;
    }
  }

  async settleTask(event: UsageEvent): Promise<void> {
    if (this.#stopping.signal.aborted) throw outOfReach(new Error("this process is stopping"));
    await this.#opening;
    await journalTask(this.#current, event);
    await closeTaskGrant(this.#parts.setting.billing, event);
  }

  async #renew(): Promise<void> {
    await this.#current.lease.beat();
    await this.#opening;
    if (!this.#current.lease.live) throw outOfReach(new Error("billing has not renewed this process's lease"));
  }

  #refuse(error: GatewayError): Promise<never> {
    this.#parts.meters.refused(error.code);
    return Promise.reject(error);
  }

  /** Admits no more, waits for open requests and for what is on its way; the rest stays on disk for the next start. */
  async stop(): Promise<void> {
    const current = this.#current;
    this.#stopping.abort();
    const settled = await until(() => current.open.size === 0, AbortSignal.timeout(this.#options.stopMs ?? 15_000));
    clearInterval(this.#timer);
    current.end();
    for (const account of current.accounts) account.recall();
    const publishing = AbortSignal.timeout(publishOnStopMs);
    await until(() => current.giver.idle, publishing);
    if (settled) {
      await leave(this.#parts.setting, { ...current, holderIds: [current.holderId] }, publishing);
    } else {
      // Requests that are still open keep the journal: the next process gives them their final.
      await current.publisher[Symbol.asyncDispose]();
      await current.journal[Symbol.asyncDispose]();
    }
    await Promise.all(this.#background);
  }
}
