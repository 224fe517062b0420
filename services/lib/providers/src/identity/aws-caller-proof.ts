import { AwsV4Signer } from "aws4fetch";
import { type AwsKey, signerKey } from "./aws-signature.ts";

/**
 * Proves a role at AWS to Google: a signed request of `GetCallerIdentity`, which Google sends itself
 * (https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token, "subjectToken").
 * @param url with `{region}` where the region is
 */
export async function callerProof(
  key: AwsKey,
  { audience, region, url }: { audience: string; region: string; url: string },
): Promise<string> {
  const place = new URL(url.replaceAll("{region}", region));
  const { method, headers } = await new AwsV4Signer({
    url: place.href,
    method: "POST",
    headers: { "x-goog-cloud-target-resource": audience },
    ...signerKey(key),
    region,
    service: "sts",
  }).sign();
  const sent = [...headers, ["host", place.host]].map(([name, value]) => ({ key: name, value }));
  return encodeURIComponent(JSON.stringify({ url: place.href, method, headers: sent }));
}
