import type { sizings } from "@uag/catalog/sizing.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/**
 * Tools that the upstream runs itself before it answers: each use has its price, and adds input
 * that is processed again.
 */
export interface ServerTools {
  /** Those priced per use. */
  readonly priced: readonly PricedTool[];
  /**
   * The upstream may run several rounds without a priced use, processing the prompt again in each.
   */
  readonly searchesTools: boolean;
}

export interface PricedTool {
  readonly unit: (typeof sizings.generation.toolUses)[number];
  /** The client's own cap; undefined if it sets none. */
  readonly maxUses: number | undefined;
}

export const noServerTools: ServerTools = { priced: [], searchesTools: false };

/** Rejects a tool that the upstream would run at a price unknown to us. */
export function refusedTool(name: string, param: string): GatewayError {
  const text = `${param}: '${name.slice(0, 60)}' is run by the model's provider, and this model has no price for it.`;
  return new GatewayError("invalid_request", text, { param });
}
