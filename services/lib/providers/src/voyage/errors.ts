import type { Upstream } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";

/** What an error of Voyage means: a string under `detail` (docs.voyageai.com, error codes). */
export function voyageFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const { status } = response;
  const detail = textOf(fieldsOf(parsedJson(response.body.toString("utf8")))["detail"]);
  const message = detail === undefined || detail === "" ? undefined : redact(detail, upstream.provider);
  const reported = message === undefined ? undefined : { message, type: undefined, code: undefined, param: undefined };
  return new UpstreamFailure(kindOf(status, message ?? ""), `${upstream.provider.name} returned ${status}`, {
    status,
    reported,
    retryAfterMs: retryAfterMs(response.header, Date.now()),
  });
}

function kindOf(status: number, message: string): FailureKind {
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return "operator";
  if (status === 402) return "quota";
  if (status === 404 || (status === 400 && /^Model .+ is not supported/.test(message))) return "unknown_model";
  if (status === 429) return "capacity";
  if (status === 408 || status === 409 || status >= 500 || status < 300) return "transient";
  return "client";
}
