import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { ReceiptKey } from "@uag/contract/responses/receipts";

/** PKCS #8 of an Ed25519 private key, up to its 32 bytes (RFC 8410, section 7). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

const encode = (text: string): string => Buffer.from(text).toString("base64url");

function privateKeyOf(seed: string): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, Buffer.from(seed, "hex")]), format: "der", type: "pkcs8" });
}

/** The public key of a private one, named by its thumbprint (RFC 7638). */
function publicKeyOf(privateKey: KeyObject): ReceiptKey {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const thumbprint = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
  return { kty: "OKP", crv: "Ed25519", x, kid: thumbprint, use: "sig", alg: "EdDSA" };
}

/** Signs receipts. */
export interface ReceiptSigner {
  /** Public keys: the current one first, then those of earlier receipts. */
  readonly keys: readonly ReceiptKey[];
  /** A compact JWS of a JSON text. */
  sign(payload: string): string;
}

/**
 * Signs with one key, and publishes the previous ones too.
 * @param seed the private key: 32 bytes in hex (RFC 8032, 5.1.5)
 */
export function receiptSigner(seed: string, previous: readonly string[] = []): ReceiptSigner {
  const key = privateKeyOf(seed);
  const keys = [key, ...previous.map(privateKeyOf)].map(publicKeyOf);
  const header = encode(JSON.stringify({ alg: "EdDSA", kid: keys[0]?.kid }));
  return {
    keys,
    sign(payload) {
      const signed = `${header}.${encode(payload)}`;
      return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
    },
  };
}

/**
 * The payload of a compact JWS that one of the keys has signed.
 * @throws {Error} that says why it is not valid
 */
export function verifiedPayload(jws: string, keys: readonly ReceiptKey[]): string {
  const [header = "", payload = "", signature = "", ...more] = jws.split(".");
  if (signature === "" || more.length > 0) throw new Error("It is not a compact JSON Web Signature.");
  const { alg, kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { alg?: unknown; kid?: unknown };
  if (alg !== "EdDSA") throw new Error(`The receipt is signed with ${alg}. Only EdDSA is accepted.`);
  const found = keys.find((each) => each.kid === kid);
  if (found === undefined)
    throw new Error(`The receipt was signed with the key ${kid}, which is not among the published keys.`);
  const key = createPublicKey({ key: { kty: found.kty, crv: found.crv, x: found.x }, format: "jwk" });
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url")))
    throw new Error("The signature does not match the receipt: the receipt was changed after it was signed.");
  return Buffer.from(payload, "base64url").toString();
}
