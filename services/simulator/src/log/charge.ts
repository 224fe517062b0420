import type { Faults } from "../faults/catalogue.ts";
import type { Outcome } from "./outcome.ts";

/**
 * What a provider charges for an attempt. `whole`: all of the answer, as `true_usage` and `units`
 * have it. `made`: the prompt, and the output that had gone out when the client left. `nothing`: it
 * was refused, or the provider itself broke it off.
 */
export type Charge = { readonly rule: "whole" | "nothing" } | { readonly rule: "made"; readonly output_tokens: number };

export interface Ending {
  readonly outcome: Outcome;
  /** HTTP status of the answer that was meant. */
  readonly status: number;
  readonly stream: boolean;
  /** Tokens of the answer that went out. */
  readonly tokens: number;
  readonly faults: Faults;
}

/**
 * An answer in one piece is made, and charged, to its end once its request is there. A stream stops
 * where its client leaves, unless the fault `abort-bills` has the provider go on.
 */
export function chargeOf({ outcome, status, stream, tokens, faults }: Ending): Charge {
  if (status >= 400 || outcome === "cut" || outcome === "lost") return { rule: "nothing" };
  const stops = outcome === "disconnected" && stream && faults["abort-bills"] === undefined;
  return stops ? { rule: "made", output_tokens: tokens } : { rule: "whole" };
}
