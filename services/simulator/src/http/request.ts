import { type Faults, UnknownFault } from "../faults/catalogue.ts";
import { faultsFromHeaders, faultsFromModel } from "../faults/parse.ts";
import type { Match } from "./router.ts";
import { type Dialect, Rejection } from "./types.ts";

/** What a request says once its body is parsed and the faults are taken out of its model id. */
export type ReadRequest = {
  readonly body: unknown;
  readonly params: { readonly [name: string]: string };
  readonly model: string | undefined;
  readonly requestedModel: string | undefined;
  readonly faults: Faults;
  readonly streams: boolean;
};

function parse(bytes: Buffer, dialect: Dialect): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Rejection(dialect.badJson());
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function misuse(message: string): Rejection {
  const body = { error: { message: `simulator: ${message}`, type: "simulator_error", param: null, code: null } };
  return new Rejection({ type: "json", status: 400, body });
}

/** Reads a matched request. Throws Rejection for a body that is not JSON and for a fault that does not exist. */
export function readRequest(options: {
  match: Match;
  method: string;
  bytes: Buffer;
  headers: NodeJS.Dict<string | string[]>;
}): ReadRequest {
  const { match, bytes, headers } = options;
  const { dialect } = match.provider;
  const parsed = options.method === "POST" ? parse(bytes, dialect) : undefined;
  const named = isObject(parsed) ? parsed["model"] : undefined;
  const requestedModel = match.params["model"] ?? (typeof named === "string" ? named : undefined);
  try {
    const fromModel = requestedModel === undefined ? undefined : faultsFromModel(requestedModel);
    const model = fromModel?.model;
    const inPath = match.params["model"] !== undefined;
    return {
      body: isObject(parsed) && model !== undefined && !inPath ? { ...parsed, model } : parsed,
      params: inPath && model !== undefined ? { ...match.params, model } : match.params,
      model,
      requestedModel,
      faults: { ...faultsFromHeaders(headers), ...fromModel?.faults },
      streams: match.route.streams ?? (isObject(parsed) && parsed["stream"] === true),
    };
  } catch (cause) {
    if (cause instanceof UnknownFault) throw misuse(cause.message);
    throw cause;
  }
}
