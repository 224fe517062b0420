import { type Ask, nothingGranted } from "./ask.ts";
import type { AwsKey } from "./aws-signature.ts";
import type { Granted } from "./grant.ts";
import { granted, isToken } from "./tokens.ts";
import { elementIn } from "./xml.ts";

export const stsIssuer = "AWS STS";

/** The service's address in a region (https://docs.aws.amazon.com/general/latest/gr/sts.html). */
export const stsUrlOf = (region: string): string =>
  `https://sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`;

/** Whose name AWS's log has for the calls of the role. */
const sessionName = "ai-gateway";

/** A request of STS's query protocol: its parameters, as a form. */
export function stsForm(action: string, role: string, parameters: Readonly<Record<string, string>>): string {
  const common = { Action: action, Version: "2011-06-15", RoleArn: role, RoleSessionName: sessionName };
  return new URLSearchParams({ ...common, ...parameters }).toString();
}

interface StsRequest {
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly at: "public" | "configured";
  readonly remedy: string;
}

/**
 * The temporary access key of a role
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_Credentials.html).
 * @throws {UpstreamFailure}
 */
export async function askForKey(ask: Ask, request: StsRequest): Promise<Granted<AwsKey>> {
  const xml = await ask({ ...request, issuer: stsIssuer });
  const [id, secret, token] = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map((name) => elementIn(xml, name));
  return grantedKey({ id, secret, token, expiration: elementIn(xml, "Expiration") }, stsIssuer);
}

/** A temporary access key, as AWS's services return it. */
export interface KeyFields {
  readonly id: unknown;
  readonly secret: unknown;
  readonly token: unknown;
  /** Such as `2026-11-30T12:00:00Z`. */
  readonly expiration: unknown;
}

/** @throws {UpstreamFailure} for a key that lacks a part or has expired */
export function grantedKey({ id, secret, token, expiration }: KeyFields, issuer: string): Granted<AwsKey> {
  const lifeMs = Date.parse(String(expiration)) - Date.now();
  if (!isToken(id) || !isToken(secret) || !isToken(token) || !(lifeMs > 0)) throw nothingGranted(issuer, "access key");
  return granted({ access_key_id: id, secret_access_key: secret, session_token: token }, lifeMs);
}
