import type { Upstream } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type FailureKind, UpstreamFailure, type UpstreamFailureOptions } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";
import type { EventMessage } from "./event-stream.ts";

/**
 * By the type of an error, in lower case, where the status says less, or there is none
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html).
 */
const kindByType: Readonly<Record<string, FailureKind>> = {
  accessdeniedexception: "operator",
  incompletesignature: "operator",
  incompletesignatureexception: "operator",
  internalserverexception: "transient",
  modelerrorexception: "transient",
  modelnotreadyexception: "transient",
  modelstreamerrorexception: "transient",
  modeltimeoutexception: "transient",
  servicequotaexceededexception: "quota",
  serviceunavailableexception: "transient",
  throttlingexception: "capacity",
  validationexception: "client",
};

/** How a model that does not exist, or that the account cannot call by this name, is reported. */
const unknownModel = /model identifier is invalid|on-demand throughput isn.t supported/i;

/** Classifies a bad status, whose body has a message and whose header has its type. */
export function bedrockFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const { status } = response;
  const { message, Message } = fieldsOf(parsedJson(response.body.toString("utf8")));
  const type = typeIn(response.header("x-amzn-errortype"));
  const text = textOf(message) ?? textOf(Message);
  return new UpstreamFailure(kindOf(status, type, text), `${upstream.provider.name} returned ${status}`, {
    status,
    ...reportOf(type, text, upstream),
    retryAfterMs: retryAfterMs(response.header, Date.now()),
  });
}

/** The failure that a message of a stream reports; undefined for an event. */
export function failureIn({ headers, payload }: EventMessage, upstream: Upstream): UpstreamFailure | undefined {
  if (headers.get(":message-type") === "event") return undefined;
  const type = headers.get(":exception-type") ?? headers.get(":error-code");
  const text = textOf(fieldsOf(parsedJson(payload.toString("utf8")))["message"]) ?? headers.get(":error-message");
  const kind = kindByType[type?.toLowerCase() ?? ""] ?? "transient";
  const report = reportOf(type, text, upstream);
  return new UpstreamFailure(kind, `${upstream.provider.name} sent an error in a stream`, { status: 200, ...report });
}

/** Without the address that may follow it. */
const typeIn = (header: string | undefined): string | undefined => header?.split(":", 1)[0];

function kindOf(status: number, type: string | undefined, message = ""): FailureKind {
  if (status === 404 || unknownModel.test(message)) return "unknown_model";
  const known = kindByType[type?.toLowerCase() ?? ""];
  if (known !== undefined) return known;
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return "operator";
  if (status === 429) return "capacity";
  return status === 408 || status === 424 || status >= 500 ? "transient" : "client";
}

function reportOf(
  type: string | undefined,
  message: string | undefined,
  { provider }: Upstream,
): Pick<UpstreamFailureOptions, "reported"> {
  if (message === undefined) return {};
  const reported = { message: redact(message, provider), type: type && redact(type, provider) };
  return { reported: { ...reported, code: undefined, param: undefined } };
}
