import { createPrivateKey } from "node:crypto";
import { z } from "zod";
import {
  type AwsSource,
  type AzureSource,
  awsRegionIn,
  awsSourceIn,
  azureSourceIn,
  isTokenSource,
} from "./own-identity.ts";

/** What a header or a form can have. */
const word = z.string().regex(/^[\x21-\x7e]{1,2048}$/, "must have visible characters without spaces");
const tokenUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/**
 * An application in Microsoft Entra ID, by its client secret
 * (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow).
 */
const entra = z.strictObject({
  type: z.literal("entra"),
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/, "must be the tenant's id or domain"),
  client_id: word,
  client_secret: word,
  scope: word.default("https://cognitiveservices.azure.com/.default"),
  token_url: tokenUrl.optional(),
});

/**
 * The managed identity of the machine or the workload that a service runs as; `client_id` selects one of several
 * (https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/overview).
 */
const managedIdentity = z.strictObject({
  type: z.literal("managed_identity"),
  client_id: word.optional(),
  scope: word.regex(/\/\.default$/, "must end with /.default").default("https://cognitiveservices.azure.com/.default"),
});

/**
 * The key of a Google service account, as Google's console writes it; its other fields are not used
 * (https://cloud.google.com/iam/docs/keys-create-delete).
 */
const serviceAccount = z.object({
  type: z.literal("service_account"),
  client_email: word,
  private_key_id: word,
  private_key: z.string().max(8_192).refine(isRsaKey, "must be an RSA private key in PEM"),
  token_uri: tokenUrl.default("https://oauth2.googleapis.com/token"),
});

/** The service account of the machine or the workload that a service runs as. */
const googleMetadata = z.strictObject({
  type: z.literal("google_metadata"),
  host: z
    .string()
    .regex(/^[\w.-]+(:\d{1,5})?$/, "must be a host, with or without a port")
    .default("metadata.google.internal"),
});

const format = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json"), subject_token_field_name: z.string().min(1) }),
  ])
  .default({ type: "text" });
const tokenSource = z.string().refine(isTokenSource, "must be an https URL, or that of the machine's metadata server");

/**
 * Workload identity federation: another cloud's token is exchanged for Google's, and that for a service account's, as
 * `gcloud iam workload-identity-pools create-cred-config` writes it (https://google.aip.dev/auth/4117).
 */
const externalAccount = z.object({
  type: z.literal("external_account"),
  audience: z.string().min(1).max(1_024),
  subject_token_type: word,
  token_url: tokenUrl.default("https://sts.googleapis.com/v1/token"),
  service_account_impersonation_url: tokenUrl.optional(),
  service_account_impersonation: z
    .object({ token_lifetime_seconds: z.int().min(600).max(43_200) })
    .default({ token_lifetime_seconds: 3_600 }),
  credential_source: z.union(
    [
      // First, as gcloud writes a url for it too.
      z.object({ environment_id: z.literal("aws1"), regional_cred_verification_url: z.string().min(1) }),
      z.object({ file: z.string().min(1), format }),
      z.object({ url: tokenSource, headers: z.record(word, z.string().max(8_192)).default({}), format }),
    ],
    { error: "must have file, url, or environment_id aws1" },
  ),
});

const region = z.string().regex(/^[a-z0-9-]{1,64}$/, "must be a region, such as us-east-1");

/**
 * A role that is assumed with an access key, for requests in its name
 * (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html).
 */
const assumedRole = {
  role_arn: z
    .string()
    .regex(/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, "must be a role's ARN")
    .optional(),
  external_id: z
    .string()
    .regex(/^[\w+=,.@:/-]{2,1224}$/, "must be an external id")
    .optional(),
  sts_url: tokenUrl.optional(),
};

/**
 * An access key of AWS, and the region that requests are signed for; temporary ones have a session token
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
const aws = z.strictObject({
  type: z.literal("aws"),
  access_key_id: z.string().regex(/^\w{16,128}$/, "must be an access key's id"),
  secret_access_key: word,
  session_token: z
    .string()
    .regex(/^[\x21-\x7e]{1,8192}$/, "must have visible characters without spaces")
    .optional(),
  region,
  ...assumedRole,
});

/** The role of the machine or the workload that a service runs as; default region: AWS_REGION. */
const awsRole = z.strictObject({ type: z.literal("aws_role"), region: region.optional(), ...assumedRole });

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

const documents = [entra, managedIdentity, serviceAccount, externalAccount, googleMetadata, aws, awsRole] as const;
const types = documents.map(({ shape }) => shape.type.value);

/** The credential documents that a secret may be in place of an API key, by their `type`. */
const identitySchema = z.discriminatedUnion("type", documents, {
  error: `type must be ${types.slice(0, -1).join(", ")} or ${types.at(-1)}`,
});

type Document = z.infer<typeof identitySchema>;

/** The workload's role at AWS, with what the environment says of it. */
type AwsRole = z.infer<typeof awsRole> & { readonly region: string; readonly source: AwsSource };

/** With the role that proves the workload's identity to Google, if that is what is exchanged. */
type ExternalAccount = z.infer<typeof externalAccount> & { readonly aws?: Pick<AwsRole, "region" | "source"> };

type ManagedIdentity = z.infer<typeof managedIdentity> & { readonly source: AzureSource };

/** A credential of a cloud's own kind, with which requests are authorized in place of an API key. */
export type Identity =
  | Exclude<Document, { type: "aws_role" | "external_account" | "managed_identity" }>
  | AwsRole
  | ExternalAccount
  | ManagedIdentity;

/** A credential's secret: an API key, or a credential document. */
export interface Secret {
  /** Empty for a credential document, so that it is never sent as a key. */
  readonly apiKey: string;
  readonly identity?: Identity | undefined;
}

/** Whether a secret is a credential document: an API key is no JSON object. */
export const isDocument = (secret: string): boolean => secret.trimStart().startsWith("{");

/** Why a credential that an operator wrote is refused. */
const ownIdentityFault =
  "the services' own identity can only be used from a variable of their environment: set variable";

/**
 * Reads a secret; returns why it cannot be used, without quoting it.
 * @param env the environment that the secret is from, whose identity of its own it may name. Without it, an operator
 * wrote the secret, who must not obtain that identity by sending it to an address of their own.
 */
export function secretOf(text: string, env?: NodeJS.ProcessEnv): Secret | string {
  // Stated, so that it replaces another credential's when an access is spread over a provider.
  if (!isDocument(text)) return { apiKey: text, identity: undefined };
  const read = identitySchema.safeParse(parsed(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    return `the credential is not valid: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(" ")}`;
  }
  const identity = identityOf(read.data, env);
  return typeof identity === "string" ? identity : { apiKey: "", identity };
}

function identityOf(document: Document, env: NodeJS.ProcessEnv | undefined): Identity | string {
  switch (document.type) {
    case "google_metadata":
      return env === undefined ? ownIdentityFault : document;
    case "aws_role":
      return env === undefined ? ownIdentityFault : roleIn(document, env);
    case "external_account":
      return env === undefined ? ownIdentityFault : accountIn(document, env);
    case "managed_identity":
      return env === undefined ? ownIdentityFault : managedIn(document, env);
    default:
      return document;
  }
}

function managedIn(document: z.infer<typeof managedIdentity>, env: NodeJS.ProcessEnv): ManagedIdentity | string {
  const source = azureSourceIn(env);
  return typeof source === "string" ? source : { ...document, source };
}

/** Any region verifies a role; us-east-1 is enabled in every account. */
const verificationRegion = "us-east-1";

function accountIn(document: z.infer<typeof externalAccount>, env: NodeJS.ProcessEnv): ExternalAccount | string {
  if (!("environment_id" in document.credential_source)) return document;
  const source = awsSourceIn(env);
  if (typeof source === "string") return source;
  return { ...document, aws: { region: awsRegionIn(env) ?? verificationRegion, source } };
}

function roleIn(document: z.infer<typeof awsRole>, env: NodeJS.ProcessEnv): AwsRole | string {
  const source = awsSourceIn(env);
  if (typeof source === "string") return source;
  const place = document.region ?? awsRegionIn(env);
  if (place === undefined) return "the credential has no region, and AWS_REGION is not set";
  return { ...document, region: place, source };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The part of an identity that distinguishes it and is no secret. */
export function publicIdOf(identity: Identity): string {
  switch (identity.type) {
    case "entra":
      return identity.client_id;
    case "managed_identity":
      return identity.client_id ?? identity.source.kind;
    case "external_account":
      return identity.audience;
    case "service_account":
      return identity.private_key_id;
    case "google_metadata":
      return identity.host;
    case "aws":
      return identity.access_key_id;
    case "aws_role":
      return identity.role_arn ?? identity.source.kind;
  }
}

/** The parts of an identity that must not be shown. */
export function secretsOf(identity: Identity): string[] {
  switch (identity.type) {
    case "entra":
      return [identity.client_secret];
    case "managed_identity":
      return identity.source.kind === "app_service" ? [identity.source.header] : [];
    case "external_account":
      return [...headersOf(identity), ...(identity.aws === undefined ? [] : sourceSecrets(identity.aws.source))];
    case "service_account":
      return [identity.private_key];
    case "google_metadata":
      return [];
    case "aws":
      return defined(identity.secret_access_key, identity.session_token);
    case "aws_role":
      return sourceSecrets(identity.source);
  }
}

const defined = (...texts: readonly (string | undefined)[]): string[] => texts.filter((text) => text !== undefined);

const sourceSecrets = (source: AwsSource): string[] => (source.kind === "container" ? defined(source.token) : []);

const headersOf = ({ credential_source: source }: ExternalAccount): string[] =>
  "url" in source ? Object.values(source.headers) : [];
