import { createHash } from "node:crypto";
import { z } from "zod";

/** A secret and the id embedded in everything created with it. */
export interface NamedSecret {
  /** Eight hex digits that distinguish secrets without revealing them. */
  readonly id: string;
  readonly secret: Buffer;
}

/**
 * A replaceable secret: the current one creates, the previous ones still open what they created.
 */
export interface Keyring {
  readonly current: NamedSecret;
  /** Replaced secrets, unordered. */
  readonly previous: readonly NamedSecret[];
  /** The current one first. */
  readonly all: readonly NamedSecret[];
}

function named(hex: string): NamedSecret {
  const secret = Buffer.from(hex, "hex");
  return { id: createHash("sha256").update("secret id\n").update(secret).digest("hex").slice(0, 8), secret };
}

/** Parses secrets from the environment, in hex. Duplicates count once. */
export function keyringOf(current: string, replaced: readonly string[] = []): Keyring {
  const first = named(current);
  const others = replaced.map(named).filter(({ id }) => id !== first.id);
  const previous = [...new Map(others.map((secret) => [secret.id, secret])).values()];
  return { current: first, previous, all: [first, ...previous] };
}

const maxPrevious = 8;

/**
 * A setting that lists, comma-separated, the previous values of another secret of the same form.
 */
export function previousSecrets(secret: z.ZodString) {
  return z
    .string()
    .transform((text) => text.split(",").map((item) => item.trim()))
    .pipe(z.array(secret).max(maxPrevious))
    .optional();
}
