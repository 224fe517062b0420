import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { CapabilityContext } from "@uag/pipeline/context";
import { defineOperation, type OperationContext } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import type { Reply } from "@uag/pipeline/operation/reply";
import type { Attempted } from "@uag/providers/attempt";
import { LiveStream } from "@uag/providers/live-stream";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import { streamTranscript, transcribe } from "@uag/providers/transcriptions/transcribe";
import type { Transcript } from "@uag/providers/transcriptions/types";
import { type AudioForm, audioForm } from "./form.ts";
import { readTranscription, readTranslation, type TranscriptionRequest } from "./request.ts";
import { rendered } from "./response.ts";
import { streamResponse } from "./stream-response.ts";
import { chargeFor, owedFor, transcriptionSize } from "./usage.ts";

/** Dependencies of transcription. */
export interface TranscriptionContext extends OperationContext, Pick<CapabilityContext, "drains" | "pools"> {}

type AdmittedTranscription = AdmittedRequest<TranscriptionRequest, Size>;

/** What an operation's form may have. */
interface Kind {
  readonly name: "audio.transcriptions" | "audio.translations";
  readonly read: (form: AudioForm, model: Model) => TranscriptionRequest;
}

/** `POST /v1/audio/transcriptions`: a form with an audio file. */
export function createTranscription(context: TranscriptionContext): Operation {
  return operation(context, { name: "audio.transcriptions", read: readTranscription });
}

/** `POST /v1/audio/translations`: a form with an audio file, whose transcript is in English. */
export function createTranslation(context: TranscriptionContext): Operation {
  return operation(context, { name: "audio.translations", read: readTranslation });
}

function operation(context: TranscriptionContext, { name, read }: Kind): Operation {
  return defineOperation(context, {
    name,
    body: audioForm,
    modelOf: ({ fields }) => namedModel(fields.get("model")),
    fieldsOf: ({ fields }) => ({ sent: Object.fromEntries(fields), known: fieldCosts[name] }),
    read,
    size: transcriptionSize,
    ...(name === "audio.transcriptions" && { streams: ({ stream }: TranscriptionRequest) => stream }),
    call: (admitted: AdmittedTranscription) => callUpstreams(context, admitted),
    owed: (admitted, { failure }) => owedFor(admitted, failure.received),
    discard: ({ value }) => void (value instanceof LiveStream && value.cancel()),
    respond,
  });
}

function callUpstreams(
  { drains, pools }: TranscriptionContext,
  { exchange, admitted, attempt, memory, request }: AdmittedTranscription,
): Promise<Attempted<Transcript | LiveStream>> {
  const { requestId, signal } = exchange;
  const { task, audio, sent: format, stream, fields } = request;
  const call = { requestId, task, audio, format, stream, fields };
  const disconnect = { drains, draining: () => admitted.clientLeft() };
  const made = stream ? streamTranscript : transcribe;
  return attempt<Transcript | LiveStream>((upstream) => made({ pools, call, upstream, signal, disconnect, memory }));
}

async function respond(
  admitted: AdmittedTranscription,
  { value, upstream, attempts }: Attempted<Transcript | LiveStream>,
): Promise<Reply> {
  if (value instanceof LiveStream) return streamResponse(admitted, { value, upstream, attempts });
  const { contentType, body } = rendered(value, admitted.request.format);
  const charge = await chargeFor(admitted, value);
  return { kind: "unary", upstream, attempts, charge, headers: ["content-type", contentType], body };
}

/** @throws {GatewayError} `invalid_request` when a form names no model */
function namedModel(id: string | undefined): string {
  if (id !== undefined && id !== "") return id;
  throw new GatewayError("invalid_request", "model: is required.", { param: "model" });
}
