import { type Ask, formHeaders } from "./ask.ts";
import { type AwsKey, signed } from "./aws-signature.ts";
import { keyFrom } from "./aws-source.ts";
import { type AwsIdentity, type Grant, type Granted, idOf } from "./grant.ts";
import { askForKey, stsForm, stsUrlOf } from "./sts.ts";

/** How the temporary access key of an identity is fetched; undefined for one that has a key of its own. */
export function keyGrantOf(identity: AwsIdentity): Grant<AwsKey> | undefined {
  const { role_arn: role } = identity;
  if (identity.type === "aws" && role === undefined) return undefined;
  const fetch = async (ask: Ask): Promise<Granted<AwsKey>> => {
    const own = identity.type === "aws" ? identity : await keyFrom(identity, ask);
    if ("access_key_id" in own) return await assumed(identity, own, ask);
    return role === undefined ? own : await assumed(identity, own.value, ask);
  };
  return { id: idOf(identity), fetch };
}

/** Assumes the identity's role (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). */
async function assumed(identity: AwsIdentity, key: AwsKey, ask: Ask): Promise<Granted<AwsKey>> {
  const { role_arn: role = "", external_id: externalId, region, sts_url: url = stsUrlOf(region) } = identity;
  const { origin, pathname: path } = new URL(url);
  const body = stsForm("AssumeRole", role, externalId === undefined ? {} : { ExternalId: externalId });
  const request = { origin, path, method: "POST", headers: formHeaders, body: Buffer.from(body) } as const;
  const { headers } = await signed(request, { key, region, service: "sts" });
  const remedy = `Allow this identity sts:AssumeRole in the trust policy of ${role}.`;
  // An operator may have set the address of a stored key.
  return await askForKey(ask, { url, headers, body, at: identity.type === "aws" ? "public" : "configured", remedy });
}
