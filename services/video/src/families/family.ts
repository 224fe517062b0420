import type { Fields } from "@uag/capability/request/body.ts";
import type { Model } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { videoAdapter } from "@uag/upstreams/registry.ts";
import type { Family, Terms } from "../store/task.ts";

/** What a request comes to, whatever family's shape it had. */
export interface VideoRequestFields {
  readonly terms: Terms;
  /** The body for the provider, without the model. */
  readonly body: Fields;
  readonly prompt: string;
  /** Tasks whose results it goes on from: they must be the account's own. */
  readonly drafts: readonly string[];
  /**
   * The seed that was asked for, or chosen where none was: told again where the provider does not.
   */
  readonly seed?: number | undefined;
  /** Parameters that the provider's model lacks, and that were left out for that. */
  readonly omitted?: readonly string[] | undefined;
  /** How long the provider may take, milliseconds, where the request says so. */
  readonly lifeMs?: number | undefined;
}

/** Reads one family's requests. @throws {GatewayError} `invalid_request`, naming the field */
export type ReadRequest = (fields: Fields, context: { model: Model; upstreamModel: string }) => VideoRequestFields;

export function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/** The family of a model, from who serves it and under which name. */
export function familyOf(model: Model): Family {
  const upstream = model.upstreams[0];
  return (upstream && videoAdapter(upstream.provider.protocol)?.familyOf(upstream.model)) ?? "wan";
}

export const defaultSeconds = 5;
export const defaultResolution = "720p";
export const defaultRatio = "16:9";

/** @throws {GatewayError} when the model is not offered at that resolution */
export function checkResolution(resolution: string, offered: readonly string[] | undefined): string {
  if (offered === undefined || offered.includes(resolution)) return resolution;
  throw invalid("resolution", `resolution: this model makes ${offered.join(", ")}.`);
}

/** @throws {GatewayError} when it is not a whole number within the range */
export function checkSeconds(value: unknown, [min, max]: readonly [number, number], param = "duration"): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(param, `${param}: must be a whole number of seconds from ${min} to ${max}.`);
}

export function seedIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw invalid(name, `${name}: must be a string.`);
}
