/**
 * Requests from the main thread to an encoder thread. Samples are 16-bit mono; `id` identifies one
 * speech.
 */
export type Mp3Request =
  | { readonly id: number; readonly kind: "encode"; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: "finish" }
  | { readonly id: number; readonly kind: "drop" };

/** Replies to `encode` and `finish`, in the order of the requests of each id. */
export type Mp3Reply =
  | { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly error: string };
