import { createPrivateKey } from "node:crypto";
import { z } from "zod";

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
  region: z.string().regex(/^[a-z0-9-]{1,64}$/, "must be a region, such as us-east-1"),
});

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

/** The credential documents that a secret may be in place of an API key, by their `type`. */
const identitySchema = z.discriminatedUnion("type", [entra, serviceAccount, googleMetadata, aws], {
  error: "type must be entra, service_account, google_metadata or aws",
});

/** A credential of a cloud's own kind, with which requests are authorized in place of an API key. */
export type Identity = z.infer<typeof identitySchema>;

/** A credential's secret: an API key, or a credential document. */
export interface Secret {
  /** Empty for a credential document, so that it is never sent as a key. */
  readonly apiKey: string;
  readonly identity?: Identity | undefined;
}

/** Whether a secret is a credential document: an API key is no JSON object. */
export const isDocument = (secret: string): boolean => secret.trimStart().startsWith("{");

/** Reads a secret; returns why it cannot be used, without quoting it. */
export function secretOf(text: string): Secret | string {
  // Stated, so that it replaces another credential's when an access is spread over a provider.
  if (!isDocument(text)) return { apiKey: text, identity: undefined };
  const read = identitySchema.safeParse(parsed(text));
  if (read.success) return { apiKey: "", identity: read.data };
  const [issue] = read.error.issues;
  return `the credential is not valid: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(" ")}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether an identity is that of the service itself, which an operator must not obtain by sending
 * it to an address of their own: only the services' environment may name it.
 */
export const isOwnIdentity = ({ identity }: Secret): boolean => identity?.type === "google_metadata";

/** The part of an identity that distinguishes it and is no secret. */
export function publicIdOf(identity: Identity): string {
  switch (identity.type) {
    case "entra":
      return identity.client_id;
    case "service_account":
      return identity.private_key_id;
    case "google_metadata":
      return identity.host;
    case "aws":
      return identity.access_key_id;
  }
}

/** The parts of an identity that must not be shown. */
export function secretsOf(identity: Identity): string[] {
  switch (identity.type) {
    case "entra":
      return [identity.client_secret];
    case "service_account":
      return [identity.private_key];
    case "google_metadata":
      return [];
    case "aws":
      return [identity.secret_access_key, ...(identity.session_token === undefined ? [] : [identity.session_token])];
  }
}
