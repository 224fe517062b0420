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

/** The credential documents that a secret may be in place of an API key, by their `type`. */
const identitySchema = z.discriminatedUnion("type", [entra], {
  error: "type must be entra",
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

/** The part of an identity that distinguishes it and is no secret. */
export function publicIdOf(identity: Identity): string {
  return identity.client_id;
}

/** The parts of an identity that must not be shown. */
export function secretsOf(identity: Identity): string[] {
  return [identity.client_secret];
}
