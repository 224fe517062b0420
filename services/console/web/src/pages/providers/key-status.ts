import type { Provider } from "../../api/types.ts";
import { isCapReached } from "./credential-share.ts";
import type { Credential } from "./providers.ts";

/** Whether requests can use a credential. */
export type KeyState = Provider["pool"][number]["state"] | "capped" | "disabled";

/** A credential's state, and the milliseconds for which it still cools down. */
export interface KeyStatus {
  readonly state: KeyState;
  readonly restsForMs: number;
}

/** The status of a credential that was added here; one that no process reports yet is taken as available. */
export function keyStatusOf({ pool }: Provider, credential: Credential): KeyStatus {
  const { id, enabled } = credential;
  if (!enabled) return { state: "disabled", restsForMs: 0 };
  if (isCapReached(credential)) return { state: "capped", restsForMs: 0 };
  const reported = pool.find((each) => each.id === id);
  return { state: reported?.state ?? "available", restsForMs: reported?.rests_for_ms ?? 0 };
}

/** Colors of the states of credentials. */
export const keyStateColors = {
  available: "teal",
  limited: "orange",
  capped: "orange",
  rejected: "red",
  exhausted: "red",
  disabled: "gray",
} as const satisfies Record<KeyState, string>;
