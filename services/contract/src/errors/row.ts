/** The gRPC statuses in use, by their names: https://grpc.io/docs/guides/status-codes/ */
export type GrpcStatusName =
  | "ABORTED"
  | "ALREADY_EXISTS"
  | "CANCELLED"
  | "DEADLINE_EXCEEDED"
  | "FAILED_PRECONDITION"
  | "INTERNAL"
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "OUT_OF_RANGE"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "UNAUTHENTICATED"
  | "UNAVAILABLE"
  | "UNIMPLEMENTED";

/** What an error code means at every edge. */
export interface ErrorRow {
  /** HTTP status at the public server. */
  readonly http: number;
  /** gRPC status between our processes. */
  readonly grpc: GrpcStatusName;
  /** `error.type` of the OpenAI error body: https://platform.openai.com/docs/guides/error-codes */
  readonly type: string;
  /** Set when the same request may succeed later without being changed. */
  readonly retryable?: true;
  /** What the user reads when the thrower has nothing more exact to say. */
  readonly text: string;
  /** What the user can do about it, as the reference and the tool server tell it. Markdown. */
  readonly remedy: string;
}
