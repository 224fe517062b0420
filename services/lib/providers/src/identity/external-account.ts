import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type Ask, formHeaders, nothingGranted, platformFile } from "./ask.ts";
import { callerProof } from "./aws-caller-proof.ts";
import { keyFrom } from "./aws-source.ts";
import type { Granted, TokenIdentity } from "./grant.ts";
import { askForToken, granted, isToken } from "./tokens.ts";

type ExternalAccount = Extract<TokenIdentity, { type: "external_account" }>;
type Source = ExternalAccount["credential_source"];
type Format = Extract<Source, { format: unknown }>["format"];

export const cloudScope = "https://www.googleapis.com/auth/cloud-platform";

/**
 * Workload identity federation: exchanges the workload's own token for Google's, and that for a service account's if
 * one is impersonated (https://google.aip.dev/auth/4117).
 * @throws {UpstreamFailure} `operator` when a token is refused
 */
export async function federatedToken(account: ExternalAccount, ask: Ask): Promise<Granted<string>> {
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience: account.audience,
    scope: cloudScope,
    subject_token_type: account.subject_token_type,
    subject_token: await subjectToken(account, ask),
  });
  const remedy = "Check that the workload identity pool's provider accepts this issuer, audience and subject.";
  const request = { issuer: "Google's token exchange", url: account.token_url, headers: formHeaders, remedy };
  const federated = await askForToken(ask, { ...request, body: form.toString(), at: "configured" });
  const { service_account_impersonation_url: url } = account;
  return url === undefined ? federated : await impersonated(account, url, { token: federated.value, ask });
}

async function subjectToken({ credential_source: source, audience, aws }: ExternalAccount, ask: Ask): Promise<string> {
  if ("file" in source) return tokenIn(await platformFile(source.file), source.format, "The token file");
  if ("url" in source) {
    const headers = Object.entries(source.headers).flat();
    const at = source.url.startsWith("https:") ? "configured" : "machine";
    const issuer = "The token's URL";
    return tokenIn(await ask({ issuer, url: source.url, headers, at }), source.format, issuer);
  }
  if (aws === undefined) throw new Error("an external account of AWS has no role");
  const { value: key } = await keyFrom(aws, ask);
  return await callerProof(key, { audience, region: aws.region, url: source.regional_cred_verification_url });
}

function tokenIn(text: string, format: Format, issuer: string): string {
  const token =
    format.type === "json" ? textOf(fieldsOf(parsedJson(text))[format.subject_token_field_name]) : text.trim();
  if (!isToken(token)) throw nothingGranted(issuer, "subject token");
  return token;
}

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
async function impersonated(
  { service_account_impersonation: { token_lifetime_seconds: seconds } }: ExternalAccount,
  url: string,
  { token, ask }: { token: string; ask: Ask },
): Promise<Granted<string>> {
  const issuer = "Google's IAM";
  const headers = ["content-type", "application/json", "authorization", `Bearer ${token}`];
  const body = JSON.stringify({ scope: [cloudScope], lifetime: `${seconds}s` });
  const remedy = "Grant this workload roles/iam.workloadIdentityUser on the service account.";
  const fields = fieldsOf(parsedJson(await ask({ issuer, url, headers, body, at: "configured", remedy })));
  const value = fields["accessToken"];
  const lifeMs = Date.parse(String(fields["expireTime"])) - Date.now();
  if (!isToken(value) || !(lifeMs > 0)) throw nothingGranted(issuer, "token");
  return granted(value, lifeMs);
}
