import type { Upstream } from "@uag/catalog/types";
import { countOf, type Fields, fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { rawMember } from "../images/response.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import type { CharacterReport } from "../speech/types.ts";
import type { UsageReport } from "../usage-report.ts";
import { dashScopeVariant } from "./variant.ts";

/** One message of the speech protocol: an event's data, or a whole body. */
export interface SpeechMessage {
  /** Base64; empty when there is none. */
  readonly data: string;
  readonly url: string | undefined;
  /** The text was spoken completely. */
  readonly last: boolean;
  readonly usage: CharacterReport | undefined;
}

/**
 * Reads one message; undefined when it is not JSON.
 * @param status the HTTP status of the response, or the one named by the event
 * @throws {UpstreamFailure} when it reports an error, under whatever status
 */
export function readMessage(bytes: Buffer, status: number, upstream: Upstream): SpeechMessage | undefined {
  const value = parsedJson(bytes.toString("utf8"));
  if (value === undefined) return undefined;
  const fields = fieldsOf(value);
  const output = fieldsOf(fields["output"]);
  if (textOf(fields["code"]) || fields["output"] === undefined) {
    throw messageFailure({ status, header: () => undefined, body: bytes }, upstream);
  }
  const audio = fieldsOf(output["audio"]);
  const characters = countOf(fieldsOf(fields["usage"])["characters"]);
  const raw = characters === undefined ? undefined : rawMember(bytes, "usage");
  return {
    data: textOf(audio["data"]) ?? "",
    url: textOf(audio["url"]) || undefined,
    // Until the end the reason is the string "null".
    last: textOf(output["finish_reason"]) === "stop",
    usage: characters === undefined || raw === undefined ? undefined : { characters, raw },
  };
}

/** Classifies an error message. Under a successful status only its code shows whose fault it was. */
export function messageFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const { status, body } = response;
  const code = textOf(fieldsOf(parsedJson(body.toString("utf8")))["code"]) ?? "";
  const meant = status >= 300 ? status : statusOf(code);
  const failure = openAiFailure({ ...response, status: meant }, upstream, dashScopeVariant);
  if (failure.kind !== "client" || !code.startsWith("Throttling")) return failure;
  return new UpstreamFailure("capacity", failure.message, {
    status: meant,
    reported: failure.reported,
    retryAfterMs: failure.retryAfterMs,
  });
}

function statusOf(code: string): number {
  if (code.startsWith("Throttling")) return 429;
  return /^(Invalid|BadRequest|DataInspection|Arrearage|AccessDenied)/.test(code) ? 400 : 500;
}

/** The usage that a response object reports. */
export function charactersIn({ usage }: Fields): UsageReport | undefined {
  const characters = countOf(fieldsOf(usage)["characters"]);
  if (characters === undefined || characters === 0) return undefined;
  return { units: [{ name: "characters", quantity: BigInt(characters) }], raw: Buffer.from(JSON.stringify(usage)) };
}
