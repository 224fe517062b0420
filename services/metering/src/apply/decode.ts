import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** A message that can never be applied, whatever is tried. */
export class PoisonError extends Error {
  override readonly name = "PoisonError";
}

const idPattern = /^[^\n\r\0]{1,256}$/;
const textPattern = /^[^\n\r\0]{0,512}$/;
/** A unit's name, with the variant that its price depends on behind a colon. It names a field of the rollups: no dots. */
const unitPattern = /^[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_*/-]{1,64})?$/;
/** Beyond the year 5138 a Date is a mistake of units. */
const latestMs = 100_000_000_000_000n;

function fault(event: UsageEvent): string | undefined {
  if (!idPattern.test(event.requestId)) return "request_id";
  if (!idPattern.test(event.accountId)) return "account_id";
  const texts = [event.keyId, event.holderId, event.grantId, event.operation, event.model];
  if (!texts.every((text) => textPattern.test(text))) return "an id or a name";
  if (event.costNanoUsd < 0n || event.holdNanoUsd < 0n) return "an amount";
  if (event.endedAtMs <= 0n || event.endedAtMs > latestMs || event.startedAtMs > latestMs) return "a time";
  if (!event.units.every(({ name, quantity }) => unitPattern.test(name) && quantity >= 0n)) return "a unit";
  return undefined;
}

/** @throws {PoisonError} saying what is wrong */
export function decodeBatch(data: Uint8Array): UsageBatch {
  let batch: UsageBatch;
  try {
    batch = UsageBatch.decode(data);
  } catch (error) {
    throw new PoisonError("not a UsageBatch", { cause: error });
  }
  if (batch.batchId === "") throw new PoisonError("the batch has no id");
  for (const event of batch.events) {
    const wrong = fault(event);
    if (wrong !== undefined) throw new PoisonError(`event ${event.requestId.slice(0, 64)}: ${wrong} is not valid`);
  }
  return batch;
}
