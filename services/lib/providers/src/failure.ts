import type { Provider } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { redact } from "./redact.ts";
import type { UsageReport } from "./usage-report.ts";

/**
 * Why an upstream call failed, grouped by how to react.
 * - `client`: the request is at fault; its text goes to the client, no other upstream is tried
 * - `unknown_model`: this upstream does not have the model; another may
 * - `operator`: our account or key there is at fault; another upstream is tried, this one cools
 *   down
 * - `quota`: our account there is exhausted; another upstream is tried, this one cools down for
 *   long
 * - `capacity`: it is rate limiting us
 * - `transient`: it failed; a retry may help
 * - `timeout`: it did not respond in time
 * - `unreachable`: no connection
 * - `spend_cap`: the spend caps of all credentials there are reached; it was not called
 * - `busy`: our limit of concurrent calls to it is reached; it was not called
 * - `cancelled`: we aborted because the client did
 */
export type FailureKind =
  | "client"
  | "unknown_model"
  | "operator"
  | "quota"
  | "capacity"
  | "transient"
  | "timeout"
  | "unreachable"
  | "spend_cap"
  | "busy"
  | "cancelled";

interface WithHeaders {
  header(name: string): string | undefined;
}

/** Where providers put their id of a call. */
const requestIdHeaders = ["x-request-id", "request-id", "x-amzn-requestid"] as const;
const maxRequestId = 64;

/** The provider's id of a call, at most 64 characters; undefined if its response has none. */
export function requestIdIn(response: WithHeaders): string | undefined {
  const found = requestIdHeaders.map((name) => response.header(name)).find((id) => id !== undefined && id !== "");
  return found?.slice(0, maxRequestId);
}

/** The content of an upstream's error body, without secrets. */
export interface UpstreamMessage {
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
}

export interface UpstreamFailureOptions {
  /** The upstream's HTTP status; 0 if there was none. */
  readonly status?: number;
  readonly reported?: UpstreamMessage | undefined;
  /** The error body for a client of the same protocol, without secrets. */
  readonly body?: Buffer | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The upstream's id of the call, as its support asks for it. */
  readonly requestId?: string | undefined;
  /** For an aborted call: how long the upstream had worked on it, which it charges for. */
  readonly workedMs?: number | undefined;
  /** What the upstream reports as used by the call, and charges for although it failed. */
  readonly usage?: UsageReport | undefined;
  /**
   * Set when the upstream responded and charges for it, but the response cannot be used: the output
   * that could be read, for an estimate where `usage` is undefined.
   */
  readonly received?: string | undefined;
  /** What the client can change in its request so that the response can be used. */
  readonly remedy?: string | undefined;
  /** What was received of a body that could not be read completely: its end, if it is too long. */
  readonly partial?: Buffer | undefined;
  readonly cause?: unknown;
}

/** Failures that no other attempt can change. */
const hopeless: ReadonlySet<FailureKind> = new Set(["client", "cancelled"]);

export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly kind: FailureKind;
  readonly status: number;
  // Private, so that no logger outputs it: an upstream may quote the request.
  readonly #options: UpstreamFailureOptions;

  constructor(kind: FailureKind, text: string, options: UpstreamFailureOptions = {}) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status ?? 0;
    this.#options = options;
  }

  get reported(): UpstreamMessage | undefined {
    return this.#options.reported;
  }

  get body(): Buffer | undefined {
    return this.#options.body;
  }

  get retryAfterMs(): number | undefined {
    return this.#options.retryAfterMs;
  }

  get requestId(): string | undefined {
    return this.#options.requestId;
  }

  get workedMs(): number | undefined {
    return this.#options.workedMs;
  }

  /** What the upstream reports as used; it is billed. */
  get usage(): UsageReport | undefined {
    return this.#options.usage;
  }

  /** The readable output of an unusable response; it is billed by estimate if there is no usage. */
  get received(): string | undefined {
    return this.#options.received;
  }

  get remedy(): string | undefined {
    return this.#options.remedy;
  }

  get partial(): Buffer | undefined {
    return this.#options.partial;
  }

  /**
   * No further attempt is made: the request is at fault, its client has left, or the upstream
   * charges for this call and would charge for the next one too.
   */
  get isFinal(): boolean {
    return hopeless.has(this.kind) || this.usage !== undefined || this.received !== undefined;
  }

  /** The same failure with the id of the call from the response's headers, if they have one. */
  of(response: WithHeaders): UpstreamFailure {
    const requestId = this.requestId ?? requestIdIn(response);
    return requestId === undefined ? this : this.with({ requestId });
  }

  /** The same failure with more that is known about it. */
  with(more: UpstreamFailureOptions): UpstreamFailure {
    return new UpstreamFailure(this.kind, this.message, { ...this.#options, ...more });
  }
}

/**
 * The failure for a response under status 200 that the upstream charges for and that cannot be
 * used: too large, unreadable, or of another kind than was asked for.
 */
export function unusableResponse(
  reason: string,
  options: Pick<UpstreamFailureOptions, "usage" | "received" | "partial" | "remedy" | "cause"> = {},
): UpstreamFailure {
  return new UpstreamFailure("transient", reason, { received: "", ...options, status: 200 });
}

/** The failure for a response that is longer than any response to its request should be. */
export function tooLong(
  maxBytes: number,
  options: Pick<UpstreamFailureOptions, "received" | "partial"> = {},
): UpstreamFailure {
  const remedy = "Request less output, such as a lower n or fewer tokens, or set stream to true.";
  return unusableResponse(`it is longer than the ${maxBytes} bytes that a response to this request may have`, {
    ...options,
    remedy,
  });
}

/** Failures about our account or our calls, not about what a request says. */
const aboutUs: ReadonlySet<FailureKind> = new Set(["operator", "quota", "capacity"]);
const maxLogged = 200;

/**
 * The log fields of a failure: no body, and of the upstream's message only the beginning, if it
 * cannot quote the request.
 */
export function failureForLog(failure: UpstreamFailure): Readonly<Record<string, unknown>> {
  const { kind, status, message, reported, cause } = failure;
  const words = reported !== undefined && aboutUs.has(kind) ? reported.message.slice(0, maxLogged) : undefined;
  return {
    kind,
    status,
    reason: message.slice(0, maxLogged),
    code: reported?.code?.slice(0, 64),
    type: reported?.type?.slice(0, 64),
    reported: words,
    // A parser quotes what it cannot parse.
    ...(cause instanceof Error && (cause instanceof SyntaxError ? { cause: cause.name } : { err: cause })),
  };
}

const maxCode = 64;
const maxMessage = 300;

/**
 * What a request's record keeps of a failure, bounded: the upstream's own code and message, or our
 * reason if it sent none. Without secrets; the message may quote the request.
 */
export function detailsOf({ kind, status, message, reported, requestId }: UpstreamFailure, provider: Provider) {
  return {
    failure: kind,
    status,
    code: (reported?.code ?? reported?.type)?.slice(0, maxCode),
    message: redact(reported?.message || message, provider).slice(0, maxMessage),
    upstreamRequestId: requestId,
  };
}

/** For a response that is charged for and cannot be used; its reason is in our own words. */
function unusableText({ received, reported, message, remedy }: UpstreamFailure): string | undefined {
  if (received === undefined || reported !== undefined) return undefined;
  const billed = "The provider charges for it, so that the request is billed and was not tried again.";
  return ["The model's provider sent a response that cannot be used:", `${message}.`, billed, remedy]
    .filter((part) => part !== undefined)
    .join(" ");
}

/** The error for the client. Messages about our account at an upstream are not exposed. */
export function failureToGatewayError(failure: UpstreamFailure): GatewayError {
  const { retryAfterMs } = failure;
  // A call that the upstream charged for is charged again when a client repeats it.
  const options = { cause: failure, retryAfterMs, ...(failure.isFinal && { retryable: false }) };
  switch (failure.kind) {
    case "client":
      return new GatewayError("invalid_request", failure.reported?.message, {
        ...options,
        param: failure.reported?.param,
      });
    case "unknown_model":
      return new GatewayError("model_not_found", failure.reported?.message, { ...options, param: "model" });
    case "capacity":
      return new GatewayError("upstream_rate_limited", undefined, options);
    case "spend_cap":
      return new GatewayError("spend_cap_reached", undefined, { ...options, retryable: false });
    case "quota":
    case "unreachable":
    case "busy":
      return new GatewayError("upstream_unavailable", undefined, options);
    case "timeout":
      return new GatewayError("upstream_timeout", undefined, options);
    case "cancelled":
      return new GatewayError("client_closed_request", undefined, options);
    case "transient":
      return new GatewayError(
        failure.status === 503 || failure.status === 529 ? "upstream_unavailable" : "upstream_error",
        unusableText(failure),
        options,
      );
    case "operator":
      return new GatewayError("upstream_error", undefined, { cause: failure });
  }
}
