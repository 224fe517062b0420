/**
 * The requests and the expected responses, shared by both ends of the benchmark: the upstream
 * writes them, the load checks them. A request carries its nonce in its message's text, the only
 * place that every gateway passes on.
 */

export const nonceDigits = 12;
const filler = "The quick brown fox jumps over the lazy dog and finds the ledger exact to the last nano. "
  .repeat(8)
  .trim();

export const jsonUsage = { prompt_tokens: 24, completion_tokens: 9, total_tokens: 33 } as const;

export function nonceText(nonce: number): string {
  return String(nonce).padStart(nonceDigits, "0");
}

/** The text of the response to a JSON request. */
export function responseText(nonce: string): string {
  return `nonce=${nonce} ${filler}`;
}

export function jsonResponse(options: { readonly nonce: string; readonly model: string }): string {
  const { nonce, model } = options;
  return (
    `{"id":"chatcmpl-${nonce}","object":"chat.completion","created":1760000000,"model":"${model}",` +
    `"choices":[{"index":0,"message":{"role":"assistant","content":"${responseText(nonce)}","refusal":null},` +
    `"logprobs":null,"finish_reason":"stop"}],"usage":${JSON.stringify(jsonUsage)},"system_fingerprint":"fp_bench"}`
  );
}

/** The shape of a stream: `chunks` pieces of text, one every `intervalMs`. */
export interface StreamShape {
  readonly chunks: number;
  readonly intervalMs: number;
}

/**
 * The start of a chunk's text; the time it was sent (microseconds, 16 digits, monotonic clock)
 * follows it.
 */
export function chunkMark(index: number, nonce: string): string {
  return `${String(index).padStart(5, "0")} ${nonce} `;
}

/** Microseconds of the machine's monotonic clock, the same for all processes. */
export function monotonicUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000_000 + Math.floor(nanoseconds / 1_000);
}

/** The body of a request; its nonce follows `nonce=`, {@link nonceDigits} digits long. */
export function requestBody(options: {
  readonly model: string;
  readonly nonce: string;
  readonly stream?: StreamShape & { readonly includeUsage: boolean };
}): string {
  const { model, nonce, stream } = options;
  const shape = stream === undefined ? "" : ` chunks=${stream.chunks} interval_ms=${stream.intervalMs}`;
  return JSON.stringify({
    model,
    messages: [
      { role: "system", content: "Reply briefly and to the point." },
      { role: "user", content: `Say something about foxes, please. nonce=${nonce}${shape}` },
    ],
    max_tokens: 256,
    temperature: 0.2,
    ...(stream === undefined ? {} : { stream: true }),
    ...(stream?.includeUsage === true ? { stream_options: { include_usage: true } } : {}),
  });
}
