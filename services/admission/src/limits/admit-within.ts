import { toGatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { ErrorCode } from "@uag/contract/errors/table.ts";
import type { AdmitRequest, AdmitTask, Admitted, FreeSlot } from "../types.ts";
import type { LimitAsk } from "./key-limits.ts";
import type { Limits } from "./limits.ts";
import { checkLive, type Taken } from "./taken.ts";

export interface Within {
  /** Takes the money. */
  readonly admission: { admit(request: AdmitRequest, taken?: Taken): Promise<Admitted> };
  readonly refused: (code: ErrorCode) => void;
}

const unlimited: FreeSlot = { headers: [], [Symbol.dispose]: () => {} };

/** Takes a slot of its key's requests per minute and one of its concurrency, and no tokens. */
export async function admitFreeWithin(
  limits: Pick<Limits, "of">,
  { caller, operation }: Pick<AdmitRequest, "caller" | "operation">,
): Promise<FreeSlot> {
  const key = limits.of(caller);
  if (key === undefined) return unlimited;
  const ask = { tokens: 0, native: operation.startsWith("messages") };
  const taken = key.take(ask) ?? (await key.wait(ask));
  try {
    checkLive(taken);
  } catch (error) {
    taken.undo();
    throw error;
  }
  taken.admitted();
  return { headers: taken.headers, [Symbol.dispose]: () => taken.release() };
}

const askOf = ({ tokens, operation }: Pick<AdmitRequest, "tokens" | "operation">): LimitAsk => ({
  tokens: Math.max(1, Math.ceil(tokens)),
  native: operation.startsWith("messages"),
});

/** Admits a request within its key's limits: first the limits, then the money; a request without money counts for no limit. */
export function admitWithin(limits: Pick<Limits, "of">, request: AdmitRequest, within: Within): Promise<Admitted> {
  const key = limits.of(request.caller);
  if (key === undefined) return within.admission.admit(request);
  const ask = askOf(request);
  const admit = (taken: Taken): Promise<Admitted> => {
    const admitting = within.admission.admit(request, taken);
    admitting.then(
      () => taken.admitted(),
      () => taken.undo(),
    );
    return admitting;
  };
  const refuse = (error: unknown): never => {
    within.refused(toGatewayError(error).code);
    throw error;
  };
  try {
    const taken = key.take(ask);
    return taken === undefined ? key.wait(ask).catch(refuse).then(admit) : admit(taken);
  } catch (error) {
    return Promise.reject(error).catch(refuse);
  }
}

/** Counts a task's submission, once, and lets `admitTask` take its money; the task itself occupies no slot of concurrency. */
export async function admitTaskWithin(
  limits: Pick<Limits, "of">,
  task: AdmitTask,
  admitTask: (task: AdmitTask) => Promise<string>,
): Promise<string> {
  const key = limits.of(task.caller);
  if (key === undefined) return admitTask(task);
  const ask = askOf(task);
  const taken = key.take(ask) ?? (await key.wait(ask));
  try {
    const grantId = await admitTask(task);
    // The grant is there, as after an answer that was lost: whoever recovers the task gives it back.
    checkLive(taken);
    taken.admitted();
    return grantId;
  } catch (error) {
    taken.undo();
    throw error;
  } finally {
    taken.release();
  }
}
