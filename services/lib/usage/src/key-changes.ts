import { keyChanged, keyChangedSubject } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";
import type { Logger } from "@uag/runtime/log";

/** Calls `onChange` with the id of each key that billing reports as changed. */
export function onKeyChanged({ bus, log }: { bus: Bus; log: Logger }, onChange: (keyId: string) => void): void {
  bus.subscribe(keyChangedSubject, (data) => {
    const message = keyChanged.decode(data);
    if (message === undefined) log.error({ bytes: data.length }, "invalid key change message");
    else onChange(message.key_id);
  });
}
