import { createHash } from "node:crypto";
import { z } from "zod";

/** A secret and the name that what was made with it carries. */
export interface NamedSecret {
  /** Eight hex digits that tell secrets apart and say nothing of them. */
  readonly id: string;
  readonly secret: Buffer;
}

/**
 * A secret that can be replaced: the current one makes what is new, the previous ones go on opening
 * what they made.
 */
export interface Keyring {
  readonly current: NamedSecret;
  /** Those that were replaced, in no order. */
  readonly previous: readonly NamedSecret[];
  /** The current one first. */
  readonly all: readonly NamedSecret[];
}

function named(hex: string): NamedSecret {
  const secret = Buffer.from(hex, "hex");
  return { id: createHash("sha256").update("secret id\n").update(secret).digest("hex").slice(0, 8), secret };
}

/** Secrets as the environment has them, in hex. One that is named twice counts once. */
export function keyringOf(current: string, replaced: readonly string[] = []): Keyring {
  const first = named(current);
  const others = replaced.map(named).filter(({ id }) => id !== first.id);
  const previous = [...new Map(others.map((secret) => [secret.id, secret])).values()];
  return { current: first, previous, all: [first, ...previous] };
}

const maxPrevious = 8;

/**
 * A setting that lists, comma-separated, the secrets that another setting of the same form has
 * replaced.
 */
export function previousSecrets(secret: z.ZodString) {
  return z
    .string()
    .transform((text) => text.split(",").map((item) => item.trim()))
    .pipe(z.array(secret).max(maxPrevious))
    .optional();
}
