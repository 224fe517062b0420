import { modelNamed } from "@uag/catalog/names";
import { withModel } from "@uag/catalog/pool";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { videoCompletion } from "@uag/contract/requests/videos";
import type { Fields } from "@uag/pipeline/request/body";
import { findModel } from "@uag/pipeline/request/find-model";
import { checkOutside } from "@uag/pipeline/request/urls";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import { checked } from "@uag/untrusted/schema-fault";
import { familyOf, invalid, type ReadRequest, type VideoRequestFields } from "../families/family.ts";
import { readGrok } from "../families/grok.ts";
import { readSeedance } from "../families/seedance.ts";
import { readWan } from "../families/wan.ts";
import type { Family } from "../store/task.ts";

export const operation = "videos.generations";

const readers: Record<Family, ReadRequest> = { wan: readWan, happy: readWan, seedance: readSeedance, grok: readGrok };

/** A fully validated video request. */
export interface VideoRequest extends VideoRequestFields {
  readonly model: Model;
  readonly family: Family;
  readonly fields: Fields;
  readonly webhookUrl: string | undefined;
}

type Guard = Pick<GuardedClient, "parse" | "leadsInside">;

/**
 * Validates a request against the schema of its model's family.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readVideoRequest(fields: Fields, model: Model, guarded: Guard): VideoRequest {
  const family = familyOf(model);
  const upstreamModel = model.upstreams[0]?.model ?? model.id;
  const requested = readers[family](fields, { model, upstreamModel });
  checkUrls(fields, "", guarded);
  const webhookUrl = checked(videoCompletion, fields).webhook_url ?? undefined;
  if (webhookUrl !== undefined) checkUrl(webhookUrl, guarded);
  return { ...requested, model, family, fields, webhookUrl };
}

/** The model id in a request. @throws {GatewayError} `invalid_request` when it is missing */
export function videoModelOf({ model }: Fields): string {
  if (typeof model !== "string") throw invalid("model", "model: is required.");
  return model;
}

const dated = /^(beta2\.7-(?:t2v|i2v|r2v))-(\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * Finds the model; for a dated id that the catalogue does not list, the undated model with the
 * provider's dated name.
 * @throws {GatewayError} as `findModel`
 */
export function findVideoModel(catalog: Catalog, id: string, caller: Caller): Model {
  const [, base, date] = (modelNamed(catalog, id) ? null : dated.exec(id)) ?? [];
  const model = base === undefined ? undefined : catalog.models.get(base);
  if (model === undefined) return findModel(catalog, id, caller, operation);
  const upstreams = model.upstreams.map((upstream) => withModel(upstream, `${upstream.model}-${date}`));
  const { aliases: _names, ...undated } = model;
  const known = { ...catalog, models: new Map([[id, { ...undated, id, upstreams }]]) };
  return findModel(known, id, caller, operation);
}

/** Fields with text to be spoken or drawn, which may begin with anything. */
const words = new Set(["prompt", "negative_prompt", "text"]);

/**
 * Checks all other strings of a request: fields that refer to images, audio and video have a dozen
 * names.
 */
function checkUrls(value: unknown, at: string, guarded: Guard): void {
  if (typeof value === "string") checkOutside(value, at, guarded);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) checkUrls(item, `${at}[${index}]`, guarded);
  else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value))
      if (!words.has(name)) checkUrls(item, at === "" ? name : `${at}.${name}`, guarded);
}

function checkUrl(url: string, guarded: Pick<GuardedClient, "parse">): void {
  try {
    guarded.parse(url);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    const options = { param: "webhook_url", cause: error };
    throw new GatewayError("invalid_request", `webhook_url: ${error.message}`, options);
  }
}
