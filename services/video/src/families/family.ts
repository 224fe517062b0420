import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Fields } from "@uag/pipeline/request/body";
import { adapterFor } from "@uag/providers/registry";
import type { Family, Terms } from "../store/task.ts";

/** A request in normalized form, whichever family it belongs to. */
export interface VideoRequestFields {
  readonly terms: Terms;
  /** The body for the provider, without the model. */
  readonly body: Fields;
  readonly prompt: string;
  /** Draft tasks that it continues from; they must belong to the account. */
  readonly drafts: readonly string[];
  /**
   * The seed that was requested, or chosen if none was; shown when the provider does not report it.
   */
  readonly seed?: number | undefined;
  /** Parameters left out because the provider's model does not support them. */
  readonly omitted?: readonly string[] | undefined;
  /** The maximum time for the provider, milliseconds, if the request sets one. */
  readonly lifeMs?: number | undefined;
}

/** Reads one family's requests. @throws {GatewayError} `invalid_request`, naming the field */
export type ReadRequest = (fields: Fields, context: { model: Model; upstreamModel: string }) => VideoRequestFields;

export function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/** The family of a model, derived from its first provider and the name there. */
export function familyOf(model: Model): Family {
  const upstream = model.upstreams[0];
  return (upstream && adapterFor("video", upstream.provider.protocol)?.familyOf(upstream.model)) ?? "wan";
}

export const defaultSeconds = 5;
export const defaultResolution = "720p";
export const defaultRatio = "16:9";

/** @throws {GatewayError} when the model does not offer that resolution */
export function checkResolution(resolution: string, offered: readonly string[] | undefined): string {
  if (offered === undefined || offered.includes(resolution)) return resolution;
  throw invalid("resolution", `resolution: must be one of ${offered.join(", ")} for this model.`);
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
