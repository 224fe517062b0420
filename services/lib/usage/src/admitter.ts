import { type GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import { checkLive, lapsed, type Reservation } from "./limits/reservation.ts";
import type { Meters } from "./meters.ts";
import { refuseForJournal } from "./refusals.ts";
import { OpenRequest } from "./request.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import type { Succession } from "./succession.ts";
import { findTaskGrant } from "./tasks.ts";
import type { AdmitRequest, AdmitTask, Admitted } from "./types.ts";

/** The dependencies of an {@link Admitter}. */
export interface AdmitterOptions {
  readonly dependencies: SessionDependencies;
  readonly succession: Succession;
  readonly meters: Pick<Meters, "fromMemory" | "fromBilling" | "waited" | "refused">;
}

/** Admits requests and tasks against the grants of the current holder session. */
export class Admitter {
  readonly #options: AdmitterOptions;

  constructor(options: AdmitterOptions) {
    this.#options = options;
  }

  admit(request: AdmitRequest, reservation?: Reservation): Promise<Admitted> {
    const { succession, meters } = this.#options;
    if (reservation?.live === false) return this.#refuse(lapsed());
    const session = succession.current;
    if (session === undefined) return this.#admitLater(request, reservation);
    const { state } = session.journal;
    if (state !== "ok") return this.#refuse(refuseForJournal(state));
    if (!session.lease.live || succession.stopping) return this.#admitLater(request, reservation);
    if (request.holdNanoUsd <= 0n) return Promise.resolve(new OpenRequest(session, request, { reservation }));
    const account = session.account(request.caller);
    const grant = account.take(request.holdNanoUsd);
    if (grant === undefined) return this.#admitLater(request, reservation);
    meters.fromMemory.inc();
    return Promise.resolve(new OpenRequest(session, request, { account, grant, reservation }));
  }

  /** Handles requests that memory cannot admit: renews an expired lease and waits for a grant. */
  async #admitLater(request: AdmitRequest, reservation?: Reservation): Promise<Admitted> {
    const { meters, dependencies, succession } = this.#options;
    const since = dependencies.clock.monotonic();
    try {
      const session = await succession.live();
      if (request.holdNanoUsd <= 0n) {
        checkLive(reservation);
        return new OpenRequest(session, request, { reservation });
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
    } catch (error) {
      throw this.#refused(error);
    } finally {
      meters.waited.observe((dependencies.clock.monotonic() - since) / 1_000);
    }
  }

  admitTask(task: AdmitTask): Promise<string> {
    const state = this.#options.succession.current?.journal.state ?? "ok";
    return state === "ok" ? this.findTaskGrant(task) : this.#refuse(refuseForJournal(state));
  }

  async findTaskGrant(task: AdmitTask): Promise<string> {
    try {
      return await findTaskGrant(this.#options, task);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  #refused(error: unknown): GatewayError {
    const known = toGatewayError(error);
    this.#options.meters.refused(known.code);
    return known;
  }

  #refuse(error: GatewayError): Promise<never> {
    return Promise.reject(this.#refused(error));
  }
}
