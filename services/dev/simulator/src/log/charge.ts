import type { Faults } from "../faults/catalogue.ts";
import type { Outcome } from "./outcome.ts";

/**
 * What a provider charges for an attempt. `whole`: the whole response, as in `true_usage` and
 * `units`. `made`: the prompt, and the output sent before the client disconnected. `nothing`: it
 * was rejected, or cut off by the provider itself.
 */
export type Charge = { readonly rule: "whole" | "nothing" } | { readonly rule: "made"; readonly output_tokens: number };

export interface Ending {
  readonly outcome: Outcome;
  /** HTTP status of the intended response. */
  readonly status: number;
  readonly stream: boolean;
  /** Tokens of the response that were sent. */
  readonly tokens: number;
  readonly faults: Faults;
}

/**
 * A non-streamed response is completed, and charged, once its request has arrived. A stream stops
 * when its client disconnects, unless the fault `abort-bills` makes the provider continue.
 */
export function chargeOf({ outcome, status, stream, tokens, faults }: Ending): Charge {
  if (status >= 400 || outcome === "cut" || outcome === "lost") return { rule: "nothing" };
  const stops = outcome === "disconnected" && stream && faults["abort-bills"] === undefined;
  return stops ? { rule: "made", output_tokens: tokens } : { rule: "whole" };
}
