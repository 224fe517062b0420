import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type Ask, formHeaders, type GrantRequest, nothingGranted, platformFile } from "./ask.ts";
import type { AwsKey } from "./aws-signature.ts";
import type { AwsIdentity, Granted } from "./grant.ts";
import { askForKey, grantedKey, stsForm, stsUrlOf } from "./sts.ts";
import { isToken } from "./tokens.ts";

type AwsRole = Extract<AwsIdentity, { type: "aws_role" }>;
type SourceOf<Kind extends AwsRole["source"]["kind"]> = Extract<AwsRole["source"], { kind: Kind }>;

/** The temporary access key of the workload's own role. @throws {UpstreamFailure} */
export async function keyFrom(
  role: Pick<AwsRole, "source" | "region" | "sts_url">,
  ask: Ask,
): Promise<Granted<AwsKey>> {
  const { source, region, sts_url: url = stsUrlOf(region) } = role;
  switch (source.kind) {
    case "web_identity":
      return await fromWebIdentity(source, url, ask);
    case "container":
      return await fromContainer(source, ask);
    case "instance":
      return await fromInstance(source, ask);
  }
}

/** IRSA (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html). */
async function fromWebIdentity(source: SourceOf<"web_identity">, url: string, ask: Ask): Promise<Granted<AwsKey>> {
  const { roleArn, tokenFile } = source;
  const body = stsForm("AssumeRoleWithWebIdentity", roleArn, { WebIdentityToken: await platformFile(tokenFile) });
  const remedy = `Check that the trust policy of ${roleArn} names the cluster's identity provider and this service account.`;
  return await askForKey(ask, { url, headers: formHeaders, body, at: "configured", remedy });
}

/** ECS, and EKS Pod Identity (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html). */
async function fromContainer({ url, token, tokenFile }: SourceOf<"container">, ask: Ask): Promise<Granted<AwsKey>> {
  const issuer = "AWS's container credentials endpoint";
  const authorization = tokenFile === undefined ? token : await platformFile(tokenFile);
  if (authorization !== undefined && !isToken(authorization)) throw nothingGranted(issuer, "usable token");
  const headers = authorization === undefined ? [] : ["authorization", authorization];
  const remedy = "Check the task's role at ECS, or the pod identity association at EKS.";
  const at = url.startsWith("https:") ? "configured" : "machine";
  return keyIn(await ask({ issuer, url, headers, at, remedy }), issuer);
}

/** IMDSv2 (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html). */
async function fromInstance({ url }: SourceOf<"instance">, ask: Ask): Promise<Granted<AwsKey>> {
  const issuer = "AWS's instance metadata service";
  const remedy =
    "Attach a role to the instance, and let containers reach IMDSv2 by a hop limit of 2, or use another credential.";
  const common = { issuer, at: "machine", remedy } as const;
  const get = async (path: string, more: Partial<GrantRequest>) => await ask({ ...common, url: url + path, ...more });
  const life = ["x-aws-ec2-metadata-token-ttl-seconds", "60"];
  const token = (await get("/latest/api/token", { method: "PUT", headers: life })).trim();
  if (!isToken(token)) throw nothingGranted(issuer, "session token");
  const headers = ["x-aws-ec2-metadata-token", token];
  const roles = "/latest/meta-data/iam/security-credentials/";
  const [role = ""] = (await get(roles, { headers })).trim().split("\n", 1);
  return keyIn(await get(roles + encodeURIComponent(role), { headers }), issuer);
}

function keyIn(json: string, issuer: string): Granted<AwsKey> {
  const fields = fieldsOf(parsedJson(json));
  const [id, secret, token, expiration] = ["AccessKeyId", "SecretAccessKey", "Token", "Expiration"].map((name) =>
    textOf(fields[name]),
  );
  return grantedKey({ id, secret, token, expiration }, issuer);
}
