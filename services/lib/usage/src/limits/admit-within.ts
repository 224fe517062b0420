import { toGatewayError } from "@uag/contract/errors/gateway-error";
import type { ErrorCode } from "@uag/contract/errors/table";
import type { AdmitRequest, AdmitTask, Admitted, FreeAdmitted } from "../types.ts";
import type { LimitRequest } from "./key-limits.ts";
import type { Limits } from "./limits.ts";
import { checkLive, type Reservation } from "./reservation.ts";

/** What admits a request once its limits allow it. */
export interface Within {
  /** Reserves the money. */
  readonly admission: { admit(request: AdmitRequest, reservation?: Reservation): Promise<Admitted> };
  readonly refused: (code: ErrorCode) => void;
}

const unlimited: FreeAdmitted = { headers: [], [Symbol.dispose]: () => {} };

/** Takes one of the key's requests per minute and one concurrency permit, but no tokens. */
export async function admitFreeWithin(
  limits: Pick<Limits, "of">,
  { caller, operation }: Pick<AdmitRequest, "caller" | "operation">,
): Promise<FreeAdmitted> {
  const key = limits.of(caller);
  if (key === undefined) return unlimited;
  const limitRequest = { tokens: 0, native: operation.startsWith("messages") };
  const reservation = key.take(limitRequest) ?? (await key.wait(limitRequest));
  try {
    checkLive(reservation);
  } catch (error) {
    reservation.undo();
    throw error;
  }
  reservation.admitted();
  return { headers: reservation.headers, [Symbol.dispose]: () => reservation.release() };
}

const limitRequestOf = ({ tokens, operation }: Pick<AdmitRequest, "tokens" | "operation">): LimitRequest => ({
  tokens: Math.max(1, Math.ceil(tokens)),
  native: operation.startsWith("messages"),
});

/**
 * Admits a request within its key's limits: limits first, then money. A request refused for want of
 * money counts toward no limit.
 */
export function admitWithin(limits: Pick<Limits, "of">, request: AdmitRequest, within: Within): Promise<Admitted> {
  const key = limits.of(request.caller);
  if (key === undefined) return within.admission.admit(request);
  const limitRequest = limitRequestOf(request);
  const admit = (reservation: Reservation): Promise<Admitted> => {
    const admitting = within.admission.admit(request, reservation);
    admitting.then(
      () => reservation.admitted(),
      () => reservation.undo(),
    );
    return admitting;
  };
  const refuse = (error: unknown): never => {
    within.refused(toGatewayError(error).code);
    throw error;
  };
  try {
    const reservation = key.take(limitRequest);
    return reservation === undefined ? key.wait(limitRequest).catch(refuse).then(admit) : admit(reservation);
  } catch (error) {
    return Promise.reject(error).catch(refuse);
  }
}

/**
 * Counts a task's submission once and lets `admitTask` reserve its money; the task itself occupies
 * no concurrency permit.
 */
export async function admitTaskWithin(
  limits: Pick<Limits, "of">,
  task: AdmitTask,
  admitTask: (task: AdmitTask) => Promise<string>,
): Promise<string> {
  const key = limits.of(task.caller);
  if (key === undefined) return admitTask(task);
  const limitRequest = limitRequestOf(task);
  const reservation = key.take(limitRequest) ?? (await key.wait(limitRequest));
  try {
    const grantId = await admitTask(task);
    // The grant exists, as after a lost response: recovering the task returns it.
    checkLive(reservation);
    reservation.admitted();
    return grantId;
  } catch (error) {
    reservation.undo();
    throw error;
  } finally {
    reservation.release();
  }
}
