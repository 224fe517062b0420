import { budgetChanged, budgetChangedSubject } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";
import type { Logger } from "@uag/runtime/log";

/** Calls `onChange` with the id of each budget that billing reports as changed. */
export function onBudgetChanged({ bus, log }: { bus: Bus; log: Logger }, onChange: (budgetId: string) => void): void {
  bus.subscribe(budgetChangedSubject, (data) => {
    const message = budgetChanged.decode(data);
    if (message === undefined) log.error({ bytes: data.length }, "invalid budget change message");
    else onChange(message.budget_id);
  });
}
