import { createHmac, timingSafeEqual } from "node:crypto";
import type { Proof } from "@uag/ledger/rules/audit";
import type { Keyring, NamedSecret } from "@uag/runtime/keyring";
import { z } from "zod";

/** The state of an account when it was last found exact, signed by the auditor. */
export interface CheckpointDocument {
  /** The account's id. */
  readonly _id: string;
  /** A {@link Proof} as JSON. */
  readonly proof: string;
  /** Id of the signing secret. */
  readonly keyId: string;
  readonly mac: Buffer;
  readonly at: Date;
}

/** Why a checkpoint is unusable. */
export type Flaw = "missing" | "forged" | "unknown_key";

function macOf({ secret }: NamedSecret, accountId: string, proof: string): Buffer {
  return createHmac("sha256", secret).update(`checkpoint\n${accountId}\n${proof}`).digest();
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = z.hex().transform((text) => Buffer.from(text, "hex"));
const whole = z.string().transform(BigInt);

const written = z.object({
  account: z.object({
    seq: whole,
    head: bytes,
    repaid: whole,
    money: z.object({ available: whole, held: whole, charged: whole, writtenOff: whole, toppedUp: whole }),
  }),
  grants: z.array(z.object({ id: z.string(), seq: whole, left: whole, head: bytes })),
});

function write({ account: { seq, head, money, repaid }, grants }: Proof): string {
  const account = { seq, head: hex(head), money, repaid };
  const texts = grants.map((grant) => ({ ...grant, head: hex(grant.head) }));
  const asText = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
  return JSON.stringify({ account, grants: texts }, asText);
}

/** Signs an account's proof. */
export function seal(
  keys: Keyring,
  { accountId, proof, at }: { accountId: string; proof: Proof; at: Date },
): CheckpointDocument {
  const text = write(proof);
  const { current } = keys;
  return { _id: accountId, proof: text, keyId: current.id, mac: macOf(current, accountId, text), at };
}

/** Verifies a checkpoint's MAC and returns its proof. */
export function open(keys: Keyring, checkpoint: CheckpointDocument): Proof | Exclude<Flaw, "missing"> {
  const { _id: id, proof, keyId, mac } = checkpoint;
  const secret = keys.all.find((one) => one.id === keyId);
  if (secret === undefined) return "unknown_key";
  const due = macOf(secret, String(id), String(proof));
  if (!Buffer.isBuffer(mac) || mac.length !== due.length || !timingSafeEqual(mac, due)) return "forged";
  const { account, grants } = written.parse(JSON.parse(proof));
  return { account: { id, ...account }, grants };
}
