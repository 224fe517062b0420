import { type GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { HolderSession } from "./holder-session.ts";
import type { Limits } from "./limits/limits.ts";
import { checkLive } from "./limits/reservation.ts";
import type { Reservations } from "./limits/reservations.ts";
import type { LimitRequest } from "./limits/scope-limits.ts";
import type { Meters } from "./meters.ts";
import type { AdmissionOptions } from "./options.ts";
import { refuseForJournal } from "./refusals.ts";
import { OpenRequest } from "./request.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import type { Succession } from "./succession.ts";
import { findTaskGrant, settleTask } from "./tasks.ts";
import type {
  Admission,
  AdmitRequest,
  AdmitTask,
  Admitted,
  FreeAdmission,
  FreeAdmitted,
  TaskAdmission,
  TaskGrant,
} from "./types.ts";
import type { Account } from "./wallet/account.ts";

/** The dependencies of an {@link Admitter}. */
export interface AdmitterOptions {
  readonly limits: Pick<Limits, "of">;
  readonly refusal?: AdmissionOptions["refusal"];
  readonly dependencies: SessionDependencies;
  readonly succession: Succession;
  readonly meters: Pick<Meters, "fromMemory" | "fromBilling" | "waited" | "refused">;
}

const unlimited: FreeAdmitted = { headers: [], [Symbol.dispose]: () => {} };

/**
 * Admits requests and tasks: first within the limits of their key and its levels, then against the
 * grants of the current holder session. A request refused for want of money counts toward no limit.
 */
export class Admitter implements Admission, FreeAdmission, TaskAdmission {
  readonly #options: AdmitterOptions;

  constructor(options: AdmitterOptions) {
    this.#options = options;
  }

  async admit(request: AdmitRequest): Promise<Admitted> {
    this.#checkOpen();
    let reservation: Reservations | undefined;
    try {
      reservation = await this.#reserve(request);
      const admitted = this.#admitFromMemory(request, reservation) ?? (await this.#admitLater(request, reservation));
      reservation?.admitted();
      return admitted;
    } catch (error) {
      reservation?.undo();
      throw this.#refused(error);
    }
  }

  /** What a request takes of its limits, those of all levels above its key included; undefined without any. */
  #reserve(
    request: Pick<AdmitRequest, "caller" | "tokens" | "operation">,
  ): Reservations | Promise<Reservations> | undefined {
    const limits = this.#options.limits.of(request.caller);
    if (limits === undefined) return undefined;
    const limitRequest = limitRequestOf(request);
    return limits.take(limitRequest) ?? limits.wait(limitRequest);
  }

  /** Undefined when memory does not suffice: the lease has expired, or no grant covers the hold. */
  #admitFromMemory(request: AdmitRequest, reservation: Reservations | undefined): Admitted | undefined {
    const { succession, meters } = this.#options;
    checkLive(reservation);
    const session = succession.current;
    if (session === undefined) return undefined;
    const { state } = session.journal;
    if (state !== "ok") throw refuseForJournal(state);
    if (!session.lease.live || succession.stopping) return undefined;
    if (request.holdNanoUsd <= 0n)
      return new OpenRequest(session, request, { account: envelopeAccount(session, request.caller), reservation });
    const account = session.account(request.caller);
    const grant = account.take(request.holdNanoUsd);
    if (grant === undefined) return undefined;
    meters.fromMemory.inc();
    return new OpenRequest(session, request, { account, grant, reservation });
  }

  /** Renews an expired lease and waits for a grant. */
  async #admitLater(request: AdmitRequest, reservation: Reservations | undefined): Promise<Admitted> {
    const { meters, dependencies, succession } = this.#options;
    const since = dependencies.clock.monotonic();
    try {
      const session = await succession.live();
      if (request.holdNanoUsd <= 0n) {
        checkLive(reservation);
        return new OpenRequest(session, request, { account: envelopeAccount(session, request.caller), reservation });
      }
      const account = session.account(request.caller);
      const grant = await session.waitForGrant(account, request.holdNanoUsd);
      try {
        checkLive(reservation);
      } catch (error) {
        account.settle(grant, request.holdNanoUsd, 0n);
        throw error;
      }
      meters.fromBilling.inc();
      return new OpenRequest(session, request, { account, grant, reservation });
    } finally {
      meters.waited.observe((dependencies.clock.monotonic() - since) / 1_000);
    }
  }

  /** Takes one of the key's requests per minute and one concurrency permit, but no tokens. */
  async admitFree({ caller, operation }: Pick<AdmitRequest, "caller" | "operation">): Promise<FreeAdmitted> {
    const limits = this.#options.limits.of(caller);
    if (limits === undefined) return unlimited;
    const limitRequest = { tokens: 0, native: isNative(operation) };
    const reservation = limits.take(limitRequest) ?? (await limits.wait(limitRequest));
    try {
      checkLive(reservation);
    } catch (error) {
      reservation.undo();
      throw error;
    }
    reservation.admitted();
    return { headers: reservation.headers, [Symbol.dispose]: () => reservation.release() };
  }

  /**
   * Counts a task's submission once and reserves its money; the task itself occupies no concurrency
   * permit.
   */
  async admitTask(task: AdmitTask): Promise<TaskGrant> {
    this.#checkOpen();
    const reservation = await this.#reserve(task);
    try {
      const { state = "ok" } = this.#options.succession.current?.journal ?? {};
      if (state !== "ok") throw this.#refused(refuseForJournal(state));
      const grant = await this.#acquireForTask(task);
      // The grant exists, as after a lost response: recovering the task returns it.
      checkLive(reservation);
      reservation?.admitted();
      return grant;
    } catch (error) {
      reservation?.undo();
      throw error;
    } finally {
      reservation?.release();
    }
  }

  async findTaskGrant(task: AdmitTask): Promise<string> {
    return (await this.#acquireForTask(task)).id;
  }

  async #acquireForTask(task: AdmitTask): Promise<TaskGrant> {
    try {
      return await findTaskGrant(this.#options, task);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  settleTask(event: UsageEvent): Promise<void> {
    return settleTask(this.#options, event);
  }

  #checkOpen(): void {
    const refusal = this.#options.refusal?.();
    if (refusal !== undefined) throw refusal;
  }

  #refused(error: unknown): GatewayError {
    const known = toGatewayError(error);
    this.#options.meters.refused(known.code);
    return known;
  }
}

/** For a request without a hold: the account that knows what its key's envelopes leave, if it has any. */
function envelopeAccount(session: Pick<HolderSession, "account">, caller: Caller): Account | undefined {
  if (caller.rootKeyId === undefined) return undefined;
  const account = session.account(caller);
  account.lookUpEnvelope();
  return account;
}

function limitRequestOf({ tokens, operation }: Pick<AdmitRequest, "tokens" | "operation">): LimitRequest {
  return { tokens: Math.max(1, Math.ceil(tokens)), native: isNative(operation) };
}

/** True for Anthropic's Messages API, whose limit headers have names of their own. */
function isNative(operation: string): boolean {
  return operation.startsWith("messages");
}
