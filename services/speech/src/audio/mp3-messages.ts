/**
 * Calls to an encoder thread. Samples are 16-bit mono; `id` identifies one speech. The reply has
 * the bytes that are ready: none after `drop`.
 */
export type Mp3Call =
  | { readonly id: number; readonly kind: "encode"; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: "finish" }
  | { readonly id: number; readonly kind: "drop" };

export type Mp3Bytes = Uint8Array<ArrayBuffer>;
