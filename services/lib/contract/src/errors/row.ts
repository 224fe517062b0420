/** The names of the gRPC statuses in use: https://grpc.io/docs/guides/status-codes/ */
type GrpcStatusName =
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

/** What an error code means at every API boundary. */
export interface ErrorRow {
  /** HTTP status at the public server. */
  readonly http: number;
  /** gRPC status between our processes. */
  readonly grpc: GrpcStatusName;
  /** `error.type` of the OpenAI error body: https://platform.openai.com/docs/guides/error-codes */
  readonly type: string;
  /** Set when the same request, unchanged, may succeed later. */
  readonly retryable?: true;
  /** The default text for the user, if the thrower has nothing more specific. */
  readonly text: string;
  /** What the user can do about it, as shown in the reference and by the MCP server. Markdown. */
  readonly remedy: string;
}
