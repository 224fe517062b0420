import { embeddingRequest } from "@uag/contract/requests/embeddings";
import { imageEditRequest, imageRequests } from "@uag/contract/requests/images";
import { voiceListQuery } from "@uag/contract/requests/queries";
import { speechRequest } from "@uag/contract/requests/speech";
import { transcriptionRequest, translationRequest } from "@uag/contract/requests/transcriptions";
import {
  alphaImageResult,
  embeddingResult,
  imageEvent,
  imageResult,
  transcript,
  transcriptEvent,
  verboseTranscript,
  voiceList,
} from "@uag/contract/responses/media";
import { square } from "../examples/square.ts";
import { tone } from "../examples/tone.ts";
import { named } from "../named.ts";
import type { Operation } from "../operation.ts";

const image = new File([Buffer.from(square, "base64")], "square.png", { type: "image/png" });
const audio = new File([new Uint8Array(tone())], "tone.wav", { type: "audio/wav" });

export const tags = {
  Embeddings: "Embedding vectors of texts.",
  Audio: "Speech synthesis and its voices, and transcription and translation.",
  Images: "Images from a description, and image edits. The body depends on the model family.",
};

/** Vectors, speech, transcripts and images. */
export const endpoints = {
  embeddings: {
    id: "createEmbedding",
    tag: "Embeddings",
    summary: "Creates embeddings",
    request: { EmbeddingRequest: embeddingRequest },
    ok: { json: { EmbeddingResult: embeddingResult } },
    examples: [
      {
        name: "texts",
        summary: "Two texts",
        body: { model: "text-embedding-3-small", input: ["A boat on a lake", "A ship at sea"], dimensions: 8 },
      },
    ],
  },
  "audio.speech": {
    id: "createSpeech",
    tag: "Audio",
    summary: "Synthesizes speech",
    request: { SpeechRequest: speechRequest },
    ok: { audio: true },
    examples: [
      {
        name: "wav",
        summary: "WAV audio with the exact length",
        body: { model: "alpha3-tts-flash", input: "Hello there!", voice: "Cherry", response_format: "wav" },
      },
    ],
  },
  "audio.transcriptions": {
    id: "createTranscription",
    tag: "Audio",
    summary: "Transcribes audio",
    request: { TranscriptionForm: transcriptionRequest },
    ok: {
      json: { Transcript: transcript, VerboseTranscript: verboseTranscript },
      text: true,
      events: { TranscriptEvent: transcriptEvent },
    },
    examples: [
      { name: "json", summary: "The text", form: { model: "whisper-1", file: audio } },
      {
        name: "verbose",
        summary: "With the times of its segments",
        form: { model: "whisper-1", response_format: "verbose_json", file: audio },
      },
      { name: "srt", summary: "Subtitles", form: { model: "whisper-1", response_format: "srt", file: audio } },
    ],
  },
  "audio.translations": {
    id: "createTranslation",
    tag: "Audio",
    summary: "Transcribes audio in English",
    request: { TranslationForm: translationRequest },
    ok: { json: { Transcript: transcript, VerboseTranscript: verboseTranscript }, text: true },
    examples: [{ name: "english", summary: "The text in English", form: { model: "whisper-1", file: audio } }],
  },
  "audio.voices": {
    id: "listVoices",
    tag: "Audio",
    summary: "Lists the voices",
    ok: { json: { VoiceList: voiceList } },
    query: voiceListQuery.shape,
    examples: [{ name: "all", summary: "All voices" }],
  },
  "images.generations": {
    id: "createImage",
    tag: "Images",
    summary: "Creates images; the body depends on the model family",
    request: named(imageRequests, "ImageRequest"),
    ok: { json: { ImageResult: imageResult, AlphaImageResult: alphaImageResult }, events: { ImageEvent: imageEvent } },
    flatErrors: true,
    examples: [
      {
        name: "prompt",
        summary: "An image from a description",
        body: { model: "gamma-image-1", prompt: "A boat on a lake" },
      },
      {
        name: "alpha",
        summary: "The same with an Alpha model, in its own format",
        body: {
          model: "alpha-image-2.0",
          input: { messages: [{ role: "user", content: [{ text: "A boat on a lake" }] }] },
          parameters: { size: "1280*720" },
        },
      },
    ],
  },
  "images.edits": {
    id: "editImage",
    tag: "Images",
    summary: "Edits images",
    request: { ImageEditForm: imageEditRequest },
    ok: { json: { ImageResult: imageResult }, events: { ImageEvent: imageEvent } },
    examples: [
      {
        name: "image",
        summary: "Edit an image",
        form: { model: "gamma-image-1", prompt: "Put a boat on it", image },
      },
    ],
  },
} satisfies Readonly<Record<string, Operation>>;
