import { GatewayError } from "@uag/contract/errors/gateway-error";

/**
 * The query of a request target: everything after its first `?`. Every process reads targets with
 * this function, so that a check and the code behind it cannot read different values.
 * @param target an HTTP request target in origin form, such as `/usage?key=1`
 */
export function queryOf(target: string): URLSearchParams {
  const at = target.indexOf("?");
  // URLSearchParams removes one leading "?": without ours it would remove the client's, and read
  // `??key=1` as a `key`.
  return new URLSearchParams(at < 0 ? "" : target.slice(at));
}

/** The path of a request target: everything before its first `?`. */
export function pathOf(target: string): string {
  const at = target.indexOf("?");
  return at < 0 ? target : target.slice(0, at);
}

/**
 * A target built anew from what was parsed: no character of the client's own text is forwarded
 * unparsed.
 * @param pattern a route's path in express's syntax, such as `/keys/:id`
 * @param params the decoded values of its parameters
 * @throws {GatewayError} `not_found` for a parameter that URL parsers read as a dot segment
 */
export function targetFrom(pattern: string, params: Readonly<Record<string, unknown>>, query: URLSearchParams): string {
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => segmentOf(String(params[name]), name));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

function segmentOf(value: string, name: string): string {
  if (/^\.{0,2}$/.test(value)) throw new GatewayError("not_found", undefined, { param: name });
  return encodeURIComponent(value);
}
