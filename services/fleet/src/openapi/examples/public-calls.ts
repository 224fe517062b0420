import type { Carry } from "./recorder.ts";
import { square } from "./square.ts";
import type { Json } from "./types.ts";

const userMessage = (...content: object[]) => [{ role: "user", content }];
const text = (words: string) => ({ type: "text", text: words });
const silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQIAAAAAAA==";
/** The beginning of a video file, which identifies its type. */
const film = "data:video/mp4;base64,AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE=";
const hello = [{ role: "user", content: "Hello!" }];
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const person = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } };

async function chat(carry: Carry): Promise<void> {
  const call = (name: string, summary: string, body: Json) => carry("chat.completions", [name, summary], { body });
  await call("text", "A question", { model: "gpt-4o-mini", messages: hello });
  await call("stream", "The same as a stream", { model: "gpt-4o-mini", messages: hello, stream: true });
  await call("tools", "A tool that must be called, by its name", {
    model: "claude-sonnet-4-6",
    messages: [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }],
    tools: [weather],
    tool_choice: "get_weather",
  });
  await call("json_schema", "An answer that is JSON of a schema", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "A person in a story" }],
    response_format: { type: "json_schema", json_schema: { name: "person", schema: person } },
  });
  await call("image_url", "A picture, by its address or as a data URL", {
    model: "gpt-4o-mini",
    messages: userMessage(text("What is this?"), {
      type: "image_url",
      image_url: { url: `data:image/png;base64,${square}` },
    }),
  });
  await call("video_url", "A film, by its address or as a data URL, to a Gemini, a Qwen that sees or an Omni model", {
    model: "gemini-2.5-flash",
    messages: userMessage(text("Summarise this film."), { type: "video_url", video_url: { url: film } }),
  });
  await call("input_audio", "Sound as base64, to a Gemini, an Omni or a GPT model that hears", {
    model: "gemini-2.5-flash",
    messages: userMessage(text("Write down what is said."), {
      type: "input_audio",
      input_audio: { data: silence, format: "wav" },
    }),
  });
  await call("audio_url", "Sound by its address or as a data URL, to a Gemini or an Omni model", {
    model: "qwen3-omni-flash",
    messages: userMessage(text("Who is speaking?"), {
      type: "audio_url",
      audio_url: { url: `data:audio/wav;base64,${silence}` },
    }),
  });
}

async function responses(carry: Carry): Promise<void> {
  const call = (name: string, summary: string, body: Json) => carry("responses.create", [name, summary], { body });
  await call("text", "A question", { model: "gpt-4o-mini", input: "Hello!" });
  await call("stream", "The same as a stream", { model: "gpt-4o-mini", input: "Hello!", stream: true });
  await call("tools", "A tool that must be called, by its name", {
    model: "claude-sonnet-4-6",
    input: [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }],
    tools: [{ type: "function", ...weather.function }],
    tool_choice: { type: "function", name: "get_weather" },
  });
}

async function messages(carry: Carry): Promise<void> {
  const body = { model: "claude-sonnet-4-6", max_tokens: 256, messages: hello };
  await carry("messages.create", ["text", "A question"], { body });
  await carry("messages.create", ["stream", "The same as a stream"], { body: { ...body, stream: true } });
  await carry("messages.count_tokens", ["text", "A question"], {
    body: { model: "claude-sonnet-4-6", messages: hello },
  });
}

async function media(carry: Carry): Promise<void> {
  await carry("embeddings", ["texts", "Two texts"], {
    body: { model: "text-embedding-3-small", input: ["A boat on a lake", "A ship at sea"], dimensions: 8 },
  });
  await carry("audio.speech", ["wav", "A WAV file, with its true length"], {
    body: { model: "alpha3-tts-flash", input: "Hello there!", voice: "Cherry", response_format: "wav" },
  });
  await carry("audio.voices", ["all", "Every voice"]);
  await carry("images.generations", ["prompt", "A picture of a description"], {
    body: { model: "gamma-image-1", prompt: "A boat on a lake" },
  });
  await carry("images.generations", ["alpha", "The same of an Alpha model, in its own format"], {
    body: {
      model: "alpha-image-2.0",
      input: { messages: [{ role: "user", content: [{ text: "A boat on a lake" }] }] },
      parameters: { size: "1280*720" },
    },
  });
  const image = new File([Buffer.from(square, "base64")], "square.png", { type: "image/png" });
  await carry("images.edits", ["image", "A change to a picture"], {
    form: { model: "gamma-image-1", prompt: "Put a boat on it", image },
  });
}

const boat = {
  model: "beta2.6-t2v",
  duration: 5,
  resolution: "720p",
  input: { prompt: "A boat on a lake" },
  parameters: { duration: 5, size: "1280*720" },
};

async function videos(carry: Carry, webhookUrl: string): Promise<void> {
  const { id } = await carry("videos.create", ["text", "A film of a description; a webhook tells of its end"], {
    body: { ...boat, webhook_url: webhookUrl },
  });
  await carry("videos.get", ["done", "A film that is done"], {
    path: { id: String(id) },
    until: ({ status }) => status === "succeeded",
  });
  await carry("videos.create", ["wait", "A film; the answer waits until it is done"], {
    body: boat,
    query: { wait: 60 },
  });
  await carry("videos.list", ["newest", "The newest two"], { query: { limit: 2 } });
  const later = await carry("videos.create", ["seedance", "A film of a Seedance model, in its own format"], {
    body: { model: "seedance-1-0-pro", content: [text("A boat on a lake")], duration: 5, resolution: "720p" },
  });
  await carry("videos.cancel", ["task", "A task"], { path: { id: String(later["id"]) } });
}

async function reading(carry: Carry): Promise<void> {
  await carry("models.list", ["all", "Every model of the key"]);
  await carry("models.get", ["model", "One model"], { path: { id: "gpt-4o-mini" } });
  await carry("subscription", ["key", "What the key may spend"]);
  await carry("usage", ["days", "A few days"], { query: { start_date: dayOf(-1), end_date: dayOf(1) } });
}

const dayMs = 86_400_000;
const dayOf = (distance: number): string => new Date(Date.now() + distance * dayMs).toISOString().slice(0, 10);

/** Runs examples of every operation of the public API, in a working order. */
export async function callPublicApi(carry: Carry, { webhookUrl }: { readonly webhookUrl: string }): Promise<void> {
  await chat(carry);
  await responses(carry);
  await messages(carry);
  await media(carry);
  await videos(carry, webhookUrl);
  await reading(carry);
}
