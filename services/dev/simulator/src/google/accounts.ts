import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, verify } from "node:crypto";

/** Public keys of service accounts, by the id of the key. */
const keys = new Map<string, { readonly email: string; readonly key: KeyObject }>();

/** Creates a service account with a key, as Google's console writes it to a file. */
export function createServiceAccount(tokenUri: string): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const id = randomBytes(20).toString("hex");
  const email = `gateway-${id.slice(0, 6)}@simulator.iam.gserviceaccount.com`;
  keys.set(id, { email, key: createPublicKey(privateKey) });
  return {
    type: "service_account",
    project_id: "simulator",
    private_key_id: id,
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: email,
    client_id: "100000000000000000001",
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: tokenUri,
    universe_domain: "googleapis.com",
  };
}

const parsed = (part: string): Record<string, unknown> => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return {};
  }
};

/**
 * Why an assertion is refused; undefined for a valid one
 * (https://developers.google.com/identity/protocols/oauth2/service-account#error-codes).
 */
export function assertionFault(assertion: string, audience: string): string | undefined {
  const [head = "", claims = "", signature = ""] = assertion.split(".");
  const { alg, kid } = parsed(head);
  const { iss, aud, scope, iat, exp } = parsed(claims);
  const known = keys.get(String(kid));
  const signed = Buffer.from(`${head}.${claims}`);
  if (alg !== "RS256" || known === undefined) return "Invalid JWT Signature.";
  if (!verify("RSA-SHA256", signed, known.key, Buffer.from(signature, "base64url"))) return "Invalid JWT Signature.";
  if (iss !== known.email) return "Invalid grant: account not found";
  const now = Date.now() / 1000;
  const isTimely = Number(iat) <= now + 60 && Number(exp) > now && Number(exp) - Number(iat) <= 3600;
  if (!isTimely) return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.";
  if (!String(scope).includes("cloud-platform")) return "Empty or missing scope not allowed.";
  return aud === audience ? undefined : "Invalid JWT: Failed audience check.";
}
