/**
 * The kind of body that a route's requests have; a body on a `none` route is ignored. An `upload` is
 * a form whose file is stored while it arrives.
 */
export type BodyKind = "json" | "multipart" | "upload" | "none";

/** The request body of a route. */
export interface RequestBody {
  readonly body: BodyKind;
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
}

/** Bytes. */
export const mebibyte = 1024 * 1024;
/** The request bodies that routes share. */
export const requestBodies = {
  noBody: { body: "none", maxBodyBytes: 0 },
  json: { body: "json", maxBodyBytes: 32 * mebibyte },
  smallJson: { body: "json", maxBodyBytes: mebibyte / 4 },
  form: { body: "multipart", maxBodyBytes: 64 * mebibyte },
  /** A file of 25 MiB, and fields. */
  audioForm: { body: "multipart", maxBodyBytes: 28 * mebibyte },
  /** A file of 512 MiB, and fields. */
  fileForm: { body: "upload", maxBodyBytes: 513 * mebibyte },
} as const satisfies Readonly<Record<string, RequestBody>>;
