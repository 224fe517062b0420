import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { CapabilityContext } from "@uag/pipeline/context";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineOperation, type OperationContext } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import { modelOf } from "@uag/pipeline/request/model-of";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import type { Mp3Encoders } from "./audio/mp3-encoders.ts";
import type { Speaker } from "./call.ts";
import { discardMp3, type Mp3Response, mp3Reply, openMp3 } from "./mp3.ts";
import { readSpeechRequest, type SpeechRequest } from "./request/read.ts";
import { piecesOf } from "./text/pieces.ts";
import { speakWav, type WavResponse, wavReply } from "./wav.ts";

/** Dependencies of the speech operations. */
export interface SpeechContext extends OperationContext, Pick<CapabilityContext, "drains" | "pools"> {
  readonly encoders: Mp3Encoders;
  readonly audio: Speaker["audio"];
  readonly maxCharacters: number;
}

/** `POST /v1/audio/speech`: MP3 is streamed, WAV is sent once its length is known. */
export function createSpeech(context: SpeechContext): Operation {
  const { buffers, maxCharacters, encoders } = context;
  return defineOperation(context, {
    name: "audio.speech",
    body: jsonBody(),
    modelOf,
    fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts["audio.speech"] }),
    read: ({ fields }, model, { lease }) =>
      readSpeechRequest(fields, model, { maxCharacters, maxHeldBytes: buffers.largest - lease.held }),
    size: ({ model, request: { characters } }): Size => ({
      holdNanoUsd: bound([{ quantity: BigInt(characters), anyOf: sizings.speech.text }], model.price),
      tokens: characters,
    }),
    streams: ({ format }) => format === "mp3",
    call: (admitted: AdmittedRequest<SpeechRequest, Size>): Promise<Mp3Response | WavResponse> => {
      const pieces = piecesOf(admitted.request);
      return admitted.request.format === "wav"
        ? speakWav(context, admitted, pieces)
        : openMp3(context, admitted, { pieces, encoders });
    },
    respond: (admitted, response) =>
      response.kind === "wav" ? wavReply(response) : mp3Reply(context, admitted, response),
    discard: async (response) => {
      if (response.kind === "mp3") await discardMp3(response);
    },
  });
}
