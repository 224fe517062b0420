import { price, unpricedUnits } from "@uag/catalog/price";
import type { CapabilityEvents } from "@uag/pipeline/events";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { taskPrice } from "../price.ts";
import type { TaskDocument } from "../store/task.ts";

/** Logs and counts the bill of a task that has ended, as every other capability does its bills. */
export function countBill(events: Pick<CapabilityEvents, "settled">, task: TaskDocument): void {
  const { outbox, requestId, model, holdNanoUsd } = task;
  if (outbox?.settle === undefined) return;
  const { upstream, upstreamModel, ...bill } = UsageEvent.decode(outbox.settle);
  const modelPrice = taskPrice(task);
  const reportedNanoUsd = price(bill.units, modelPrice).costNanoUsd;
  const unpriced = unpricedUnits(bill.units, modelPrice);
  events.settled(
    { requestId, model, holdNanoUsd, reportedNanoUsd, unpriced },
    { ...bill, upstream, upstreamModel, firstByteMs: undefined },
  );
}
