import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type Ask, type GrantRequest, nothingGranted } from "./ask.ts";
import type { Granted } from "./grant.ts";

const maxLifeMs = 24 * 3_600_000;

/** What a header can have. */
export const isToken = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7e]+$/.test(value);

/** A grant of this length. */
export const granted = <Value>(value: Value, lifeMs: number): Granted<Value> => ({
  value,
  lifeMs: Math.min(lifeMs, maxLifeMs),
});

/** Fetches an access token, in the form of RFC 6749, 5.1. @throws {UpstreamFailure} */
export async function askForToken(ask: Ask, request: GrantRequest): Promise<Granted<string>> {
  const headers = [...(request.headers ?? []), "accept", "application/json"];
  const fields = fieldsOf(parsedJson(await ask({ ...request, headers })));
  const value = textOf(fields["access_token"]);
  // Azure's App Service sends the time of its end alone.
  const seconds = Number(fields["expires_in"] ?? Number(fields["expires_on"]) - Date.now() / 1_000);
  if (!isToken(value) || !(seconds > 0)) throw nothingGranted(request.issuer, "token");
  return granted(value, seconds * 1_000);
}
