import type { videoRequests } from "@uag/contract/requests/videos";
import type { OperationBilled } from "@uag/contract/routes";
import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const images = "https://platform.openai.com/docs/api-reference/images/create";
const seedream = "https://docs.byteplus.com/en/docs/ModelArk/1541523";
const xai = "https://docs.x.ai/docs/guides/image-generations";
const qwen = "https://www.alibabacloud.com/help/en/model-studio/qwen-image-api";
const wan = "https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference";
const seedance = "https://docs.byteplus.com/en/docs/ModelArk/1520757";
const seedancePrices = "https://docs.byteplus.com/en/docs/ModelArk/1544106";
const xaiVideo = "https://docs.x.ai/docs/guides/video-generations";
const completions = "https://platform.openai.com/docs/api-reference/completions/create";
const embeddings = "https://platform.openai.com/docs/api-reference/embeddings/create";
const gemini = "https://ai.google.dev/api/embeddings";
const rerank = "https://docs.voyageai.com/reference/reranker-api";
const speech = "https://platform.openai.com/docs/api-reference/audio/createSpeech";
const transcription = "https://platform.openai.com/docs/api-reference/audio/createTranscription";
const translation = "https://platform.openai.com/docs/api-reference/audio/createTranslation";
const own = "/docs/guides/fields";

/** `POST /v1/images/generations` and `/v1/images/edits`: fields that are not here are not sent. */
const imageFields: FieldTable = {
  aspect_ratio: bounded("images"),
  background: free(images),
  guidance_scale: free(seedream),
  image: bounded("references"),
  "image[]": bounded("references"),
  input: bounded("input"),
  "input.messages[].content[].image": bounded("references"),
  input_fidelity: bounded("references"),
  mask: bounded("references"),
  model: bounded("images"),
  moderation: free(images),
  n: bounded("images"),
  output_compression: free(images),
  output_format: free(images),
  parameters: free(qwen),
  "parameters.n": bounded("images"),
  "parameters.negative_prompt": free(qwen),
  "parameters.prompt_extend": free(qwen),
  "parameters.seed": free(qwen),
  "parameters.size": bounded("images"),
  "parameters.watermark": free(qwen),
  // Each partial image has output tokens of its own.
  partial_images: bounded("images"),
  prompt: bounded("input"),
  quality: bounded("images"),
  resolution: bounded("images"),
  response_format: free(images),
  seed: free(seedream),
  size: bounded("images"),
  stream: free(images),
  user: free(xai),
  watermark: free(seedream),
};

/** Wan's and HappyHorse's body: `parameters` goes to the provider as it is. */
const wanFields: FieldTable = {
  aspect_ratio: bounded("video"),
  duration: bounded("video"),
  input: bounded("video"),
  model: bounded("video"),
  parameters: bounded("video"),
  "parameters.audio": bounded("video"),
  "parameters.audio_setting": free(wan),
  "parameters.duration": bounded("video"),
  "parameters.negative_prompt": free(wan),
  "parameters.prompt_extend": free(wan),
  "parameters.ratio": bounded("video"),
  "parameters.resolution": bounded("video"),
  "parameters.seed": free(wan),
  "parameters.shot_type": free(wan),
  "parameters.size": bounded("video"),
  "parameters.watermark": free(wan),
  resolution: bounded("video"),
  wait: free(own, "Read by the gateway."),
  webhook_url: free(own, "Read by the gateway."),
};

/** Seedance's body: fields that are not here are not sent. */
const seedanceFields: FieldTable = {
  aspect_ratio: bounded("video"),
  camera_fixed: free(seedance),
  content: bounded("video"),
  draft: bounded("video"),
  duration: bounded("video"),
  execution_expires_after: free(seedance),
  frames: bounded("video"),
  generate_audio: bounded("video"),
  model: bounded("video"),
  omni_reference_task_type: bounded("video"),
  output_format: free(seedance),
  priority: free(
    seedancePrices,
    "It orders the account's queue; the price list has prices by resolution, input and tier only.",
  ),
  ratio: bounded("video"),
  resolution: bounded("video"),
  return_last_frame: free(seedance),
  safety_identifier: free(seedance),
  seed: free(seedance),
  service_tier: bounded("video"),
  tools: refused("the model's provider runs it, and this model has no price for it"),
  wait: free(own, "Read by the gateway."),
  watermark: free(seedance),
  webhook_url: free(own, "Read by the gateway."),
};

/** Grok Imagine's body: fields that are not here are not sent. */
const grokFields: FieldTable = {
  aspect_ratio: bounded("video"),
  duration: bounded("video"),
  image: bounded("references"),
  model: bounded("video"),
  prompt: bounded("video"),
  reference_audios: bounded("video"),
  reference_images: bounded("references"),
  resolution: bounded("video"),
  user: free(xaiVideo),
  wait: free(own, "Read by the gateway."),
  webhook_url: free(own, "Read by the gateway."),
};

/** `POST /v1/completions`: a chat request is made of these fields. */
const completionFields: FieldTable = {
  best_of: free(completions, "Read by the gateway: at most `n`."),
  echo: free(completions, "Read by the gateway."),
  frequency_penalty: free(completions),
  logit_bias: free(completions, "Not sent to any provider."),
  logprobs: free(completions),
  max_tokens: bounded("output"),
  model: bounded("input"),
  n: bounded("candidates"),
  presence_penalty: free(completions),
  prompt: bounded("input"),
  seed: free(completions),
  stop: free(completions),
  stream: free(completions),
  stream_options: free(completions),
  suffix: refused("chat models do not insert text"),
  temperature: free(completions),
  top_p: free(completions),
  user: free(completions),
};

/** `POST /v1/embeddings`: fields that are not here are not sent. */
const embeddingFields: FieldTable = {
  dimensions: free(embeddings),
  encoding_format: free(embeddings),
  input: bounded("vectors"),
  input_type: bounded("vectors"),
  model: bounded("vectors"),
  user: free(embeddings),
};

/** `POST /v1beta/models/{model}:embedContent`: fields that are not here are not sent. */
const embedContentFields: FieldTable = {
  content: bounded("vectors"),
  model: bounded("vectors"),
  outputDimensionality: free(gemini),
  taskType: free(gemini),
  title: bounded("vectors"),
};

/** `POST /v1beta/models/{model}:batchEmbedContents`: a list of such bodies. */
const batchEmbedContentsFields: FieldTable = {
  model: bounded("vectors"),
  requests: bounded("vectors"),
};

/** `POST /v1/rerank`: fields that are not here are not sent. */
const rerankFields: FieldTable = {
  documents: bounded("documents"),
  model: bounded("documents"),
  query: bounded("documents"),
  return_documents: free(own, "Read by the gateway."),
  top_n: free(rerank),
};

/** `POST /v1/audio/speech`: fields that are not here are not sent. */
const speechFields: FieldTable = {
  input: bounded("characters"),
  instructions: free("https://www.alibabacloud.com/help/en/model-studio/qwen-tts"),
  model: bounded("characters"),
  response_format: free(speech),
  speed: free(speech, "It has no effect."),
  stream_format: free(speech),
  voice: free(speech),
};

/** `POST /v1/audio/transcriptions`: fields that are not here are not sent. */
const transcriptionFields: FieldTable = {
  chunking_strategy: free(transcription),
  file: bounded("transcript"),
  "include[]": free(transcription),
  language: free(transcription),
  model: bounded("transcript"),
  prompt: bounded("transcript"),
  response_format: free(transcription),
  stream: free(transcription),
  temperature: free(transcription),
  "timestamp_granularities[]": free(transcription),
};

/** `POST /v1/audio/translations`: fields that are not here are not sent. */
const translationFields: FieldTable = {
  file: bounded("transcript"),
  model: bounded("transcript"),
  prompt: bounded("transcript"),
  response_format: free(translation),
  temperature: free(translation),
};

/** Operations whose bodies have tables of their own, as providers share their formats. */
type TextOperation = "chat.completions" | "responses" | "messages" | "generate_content" | "stream_generate_content";

/** The classes of the fields of `POST /v1/videos/generations`, by model family. */
export const videoFieldCosts = {
  wan: wanFields,
  seedance: seedanceFields,
  grok: grokFields,
} satisfies Record<keyof typeof videoRequests, FieldTable>;

/** The classes of the fields of every other billed operation. */
export const fieldCosts = {
  completions: completionFields,
  "images.generations": imageFields,
  "images.edits": imageFields,
  embeddings: embeddingFields,
  embed_content: embedContentFields,
  batch_embed_contents: batchEmbedContentsFields,
  rerank: rerankFields,
  "audio.speech": speechFields,
  "audio.transcriptions": transcriptionFields,
  "audio.translations": translationFields,
} satisfies Record<Exclude<OperationBilled<"metered">, TextOperation | "videos.generations">, FieldTable>;
