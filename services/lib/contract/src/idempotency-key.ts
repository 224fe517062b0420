/** Longest `Idempotency-Key` of a request, characters. */
export const maxIdempotencyKeyLength = 255;
