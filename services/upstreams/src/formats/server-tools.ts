import type { sizings } from "@uag/catalog/sizing.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/**
 * Tools that the upstream runs by itself before it answers: each use has its price, and brings
 * input that is read again.
 */
export interface ServerTools {
  /** Those with a price a use. */
  readonly priced: readonly PricedTool[];
  /**
   * The upstream may go on for several rounds without a priced use, reading the prompt anew in
   * each.
   */
  readonly searchesTools: boolean;
}

export interface PricedTool {
  readonly unit: (typeof sizings.generation.toolUses)[number];
  /** The client's own cap; undefined when it sets none. */
  readonly maxUses: number | undefined;
}

export const noServerTools: ServerTools = { priced: [], searchesTools: false };

/** A tool that the upstream would run for a price that nobody here knows is not served. */
export function refusedTool(name: string, param: string): GatewayError {
  const text = `${param}: '${name.slice(0, 60)}' is run by the model's provider, and this model has no price for it.`;
  return new GatewayError("invalid_request", text, { param });
}
