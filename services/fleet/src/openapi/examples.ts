/** A body that can be sent as it stands. */
export interface Example {
  readonly summary: string;
  readonly value: object;
}
export type Examples = Readonly<Record<string, Example>>;

const asked = (...content: object[]) => [{ role: "user", content }];
const text = (words: string) => ({ type: "text", text: words });
const silence = "data:audio/wav;base64,UklGRiYAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQIAAAAAAA==";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** Bodies of operations, by the names that they have in the table of routes. */
export const examples: Readonly<Record<string, Examples>> = {
  "chat.completions": {
    text: {
      summary: "A question",
      value: { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] },
    },
    tools: {
      summary: "A tool that must be called, by its name",
      value: {
        model: "claude-sonnet-4-6",
        messages: [{ role: "user", content: "How is the weather in Oslo?" }],
        tools: [weather],
        tool_choice: "get_weather",
      },
    },
    image_url: {
      summary: "A picture, by its address or as a data URL",
      value: {
        model: "gpt-4o-mini",
        messages: asked(text("What is this?"), {
          type: "image_url",
          image_url: { url: "https://www.gstatic.com/webp/gallery/1.jpg" },
        }),
      },
    },
    video_url: {
      summary: "A film, by its address or as a data URL, to a Gemini, a Qwen that sees or an Omni model",
      value: {
        model: "gemini-2.5-flash",
        messages: asked(text("Summarise this film."), {
          type: "video_url",
          video_url: { url: "https://storage.googleapis.com/gtv-videos-bucket/sample/ForBiggerBlazes.mp4" },
        }),
      },
    },
    input_audio: {
      summary: "Sound as base64, to a Gemini, an Omni or a GPT model that hears",
      value: {
        model: "gemini-2.5-flash",
        messages: asked(text("Write down what is said."), {
          type: "input_audio",
          input_audio: { data: silence.slice(silence.indexOf(",") + 1), format: "wav" },
        }),
      },
    },
    audio_url: {
      summary: "Sound by its address or as a data URL, to a Gemini or an Omni model",
      value: {
        model: "qwen3-omni-flash",
        messages: asked(text("Who is speaking?"), { type: "audio_url", audio_url: { url: silence } }),
      },
    },
  },
  "messages.create": {
    text: {
      summary: "A question",
      value: { model: "claude-sonnet-4-6", max_tokens: 256, messages: [{ role: "user", content: "Hello!" }] },
    },
  },
  "audio.speech": {
    wav: {
      summary: "A WAV file, with its true length",
      value: { model: "alpha3-tts-flash", input: "Hello there!", voice: "Cherry", response_format: "wav" },
    },
  },
  "messages.count_tokens": {
    text: {
      summary: "A question",
      value: { model: "claude-sonnet-4-6", messages: [{ role: "user", content: "Hello!" }] },
    },
  },
  embeddings: {
    texts: {
      summary: "Two texts",
      value: { model: "text-embedding-3-small", input: ["A boat on a lake", "A ship at sea"] },
    },
  },
  "images.generations": {
    prompt: {
      summary: "A picture of a description",
      value: { model: "gamma-image-1", prompt: "A boat on a lake" },
    },
    alpha: {
      summary: "The same of an Alpha model, in its own format",
      value: {
        model: "alpha-image-2.0",
        input: { messages: [{ role: "user", content: [{ text: "A boat on a lake" }] }] },
        parameters: { size: "1280*720" },
      },
    },
  },
};
