import { hashOf, randomFrom } from "../content/hash.ts";

// Keeps the text of a vector short; far more precise than unit length is checked to.
const precision = 1e9;

/**
 * The vector of a text, deterministic for the same model and text. A shorter one is a prefix of a
 * longer one, normalized to length 1 over the first `unitOver` numbers: its own count, or the whole
 * if a provider leaves a truncated vector unnormalized.
 */
export function vectorOf(options: { model: string; text: string; dimensions: number; unitOver?: number }): number[] {
  const { dimensions, unitOver = dimensions } = options;
  const random = randomFrom(hashOf(options.model, options.text), "embedding");
  const vector: number[] = [];
  let squares = 0;
  for (let i = 0; i < unitOver; i++) {
    const value = random() + random() - 1;
    squares += value * value;
    if (i < dimensions) vector.push(value);
  }
  const scale = 1 / Math.sqrt(squares);
  return vector.map((value) => Math.round(value * scale * precision) / precision);
}

/** Little-endian 32-bit floats in standard base64 with padding. */
export function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, 4 * i);
  return bytes.toString("base64");
}

/** The items in the order required by the fault `embeddings-shuffle`. */
export function shuffled<T>(items: T[], isShuffled: boolean): T[] {
  return isShuffled ? items.toReversed() : items;
}
