import type { sizings } from "@uag/catalog/sizing";
import { GatewayError } from "@uag/contract/errors/gateway-error";

/**
 * Tools that the upstream runs itself before it responds: a use may have a price, and adds input
 * that is processed again.
 */
export interface ServerTools {
  /** Those whose uses are counted. */
  readonly tools: readonly ServerTool[];
  /**
   * The upstream may run several rounds without a counted use, processing the prompt again in each.
   */
  readonly searchesTools: boolean;
  /** Most rounds after the first. */
  readonly maxRounds: number;
}

export interface ServerTool {
  /** The unit that a use is billed as; undefined when only its tokens are billed. */
  readonly unit: (typeof sizings.generation.toolUses)[number] | undefined;
  /** The client's own cap; undefined if it sets none. */
  readonly maxUses: number | undefined;
  /** Maximum input tokens that one use adds; undefined: the model's catalogue entry. */
  readonly resultTokens: number | undefined;
}

export const noServerTools: ServerTools = { tools: [], searchesTools: false, maxRounds: 0 };

/** Rejects a tool that the upstream would run at a price unknown to us. */
export function refusedTool(name: string, param: string): GatewayError {
  const text = `${param}: '${name.slice(0, 60)}' is run by the model's provider, and this model has no price for it.`;
  return new GatewayError("invalid_request", text, { param });
}
