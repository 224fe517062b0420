import { createHmac, timingSafeEqual } from "node:crypto";
import { headers, type MsgHdrs } from "nats";

const publisherHeader = "Uag-Publisher";
const macHeader = "Uag-Mac";

/** The key of one publisher of batches, known only to it and the consumer of the batches. */
export interface BatchKey {
  readonly publisher: string;
  readonly key: Buffer;
}

function macOf({ publisher, key }: BatchKey, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`${publisher}\n`).update(data).digest();
}

/** Headers that name the publisher of a batch and authenticate it. */
export function signBatch(key: BatchKey, data: Uint8Array): MsgHdrs {
  const head = headers();
  head.set(publisherHeader, key.publisher);
  head.set(macHeader, macOf(key, data).toString("base64url"));
  return head;
}

/** A batch that was not published by the claimed publisher. */
export class ForgedBatchError extends Error {
  override readonly name = "ForgedBatchError";
}

/**
 * Verifies who published a batch, and returns the publisher. A publisher may have several keys
 * during a rotation.
 * @throws {ForgedBatchError}
 */
export function verifyBatch(keys: readonly BatchKey[], data: Uint8Array, head: MsgHdrs | undefined): string {
  const publisher = head?.get(publisherHeader) ?? "";
  const mac = Buffer.from(head?.get(macHeader) ?? "", "base64url");
  const known = keys.filter((key) => key.publisher === publisher);
  if (publisher === "" || mac.length === 0) throw new ForgedBatchError("the batch names no publisher");
  if (known.length === 0) throw new ForgedBatchError("the batch names an unknown publisher");
  const fits = known.some((key) => {
    const due = macOf(key, data);
    return due.length === mac.length && timingSafeEqual(due, mac);
  });
  if (!fits) throw new ForgedBatchError("the batch's signature does not match its publisher");
  return publisher;
}

/** Copies the signature to another message with the same data. */
export function copyProof(from: MsgHdrs | undefined, to: MsgHdrs): MsgHdrs {
  for (const name of [publisherHeader, macHeader]) {
    const value = from?.get(name);
    if (value) to.set(name, value);
  }
  return to;
}
