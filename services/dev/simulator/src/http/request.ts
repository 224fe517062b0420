import type { IncomingHttpHeaders } from "node:http";
import { canonicalJson } from "../content/hash.ts";
import { type Faults, UnknownFault } from "../faults/catalogue.ts";
import { faultsFromHeaders, faultsFromModel } from "../faults/parse.ts";
import { Form, readForm } from "./form.ts";
import type { Match } from "./router.ts";
import { type Protocol, Rejection } from "./types.ts";

/** A request after parsing its body and removing the faults from its model id. */
export interface ReadRequest {
  readonly body: unknown;
  readonly params: { readonly [name: string]: string };
  readonly model: string | undefined;
  readonly requestedModel: string | undefined;
  readonly faults: Faults;
  readonly streams: boolean;
  /** Equal for requests with the same response, streamed or not. */
  readonly identity: string;
}

interface Incoming {
  match: Match;
  method: string;
  path: string;
  bytes: Buffer;
  headers: IncomingHttpHeaders;
}

function parseJson(bytes: Buffer, protocol: Protocol): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Rejection(protocol.badJson());
  }
}

async function bodyOf({ match, method, bytes, headers }: Incoming): Promise<unknown> {
  const { protocol } = match.provider;
  const reads = match.route.reads ?? (method === "POST" ? "json" : "nothing");
  if (reads === "nothing") return undefined;
  if (reads === "json") return parseJson(bytes, protocol);
  if (reads === "urlencoded") return Object.fromEntries(new URLSearchParams(bytes.toString("utf8")));
  const form = await readForm(bytes, headers["content-type"] ?? "");
  if (form === undefined) throw new Rejection(protocol.badJson());
  return form;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldOf(body: unknown, name: string): unknown {
  if (body instanceof Form) return body.fields[name];
  return isObject(body) ? body[name] : undefined;
}

function withModel(body: unknown, model: string): unknown {
  if (body instanceof Form) return body.withModel(model);
  return isObject(body) ? { ...body, model } : body;
}

function identityOf(body: unknown, path: string): string {
  if (body === undefined) return path;
  if (body instanceof Form) return body.identity;
  const whole = Object.entries(isObject(body) ? body : { body });
  return canonicalJson(Object.fromEntries(whole.filter(([name]) => name !== "stream" && name !== "stream_options")));
}

function streamsOf({ match, headers }: Incoming, body: unknown): boolean {
  const { streams } = match.route;
  if (typeof streams === "function") return streams(headers);
  const requested = fieldOf(body, "stream");
  return streams ?? (requested === true || (body instanceof Form && requested === "true"));
}

function misuse(message: string): Rejection {
  const body = { error: { message: `simulator: ${message}`, type: "simulator_error", param: null, code: null } };
  return new Rejection({ type: "json", status: 400, body });
}

function faultsOf(
  requestedModel: string | undefined,
  headers: IncomingHttpHeaders,
): { model?: string; faults: Faults } {
  try {
    const fromModel = requestedModel === undefined ? undefined : faultsFromModel(requestedModel);
    return { ...fromModel, faults: { ...faultsFromHeaders(headers), ...fromModel?.faults } };
  } catch (cause) {
    if (cause instanceof UnknownFault) throw misuse(cause.message);
    throw cause;
  }
}

/**
 * Reads a matched request. Rejects with Rejection for a body of the wrong kind or an unknown fault.
 */
export async function readRequest(incoming: Incoming): Promise<ReadRequest> {
  const { match, headers } = incoming;
  const parsed = await bodyOf(incoming);
  const named = fieldOf(parsed, "model");
  const inPath = match.params["model"];
  const requestedModel = inPath ?? (typeof named === "string" ? named : undefined);
  const { model, faults } = faultsOf(requestedModel, headers);
  const body = model === undefined || inPath !== undefined ? parsed : withModel(parsed, model);
  return {
    body,
    params: inPath !== undefined && model !== undefined ? { ...match.params, model } : match.params,
    model,
    requestedModel,
    faults,
    streams: streamsOf(incoming, parsed),
    identity: identityOf(body, incoming.path),
  };
}
