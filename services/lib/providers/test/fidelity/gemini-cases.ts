import type { FidelityCase, Json } from "./case.ts";

const usage = (prompt: number, output: number, more: Json = {}): Json => ({
  usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: output, totalTokenCount: prompt + output, ...more },
});
const chunk = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0 }],
  modelVersion: "gemini",
  responseId: "r1",
  ...more,
});
const whole = (parts: readonly Json[], finishReason: string, reported: Json): Json => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  modelVersion: "gemini",
  responseId: "r1",
  ...reported,
});

/** What Google sends: https://ai.google.dev/api/generate-content */
export const geminiCases: readonly FidelityCase[] = [
  {
    title: "thoughts, text and a signed call",
    model: "gemini",
    response: {
      body: whole(
        [
          { text: "One city.", thought: true },
          { text: "Looking." },
          { functionCall: { name: "weather", args: { city: "Rome" } }, thoughtSignature: "c2lnQw==" },
        ],
        "STOP",
        usage(10, 6, { thoughtsTokenCount: 4, totalTokenCount: 20 }),
      ),
    },
    parts: [
      { type: "thinking", text: "One city." },
      { type: "text", text: "Looking." },
      { type: "call", name: "weather", input: { city: "Rome" } },
    ],
    finish: "tools",
    units: { input_tokens: 10, output_tokens: 10 },
    costNanoUsd: 50_000,
    returned: ["c2lnQw=="],
  },
  {
    title: "a signature on the text of a stream",
    model: "gemini",
    response: {
      events: [
        chunk([{ text: "Hello" }]),
        {
          ...chunk([]),
          candidates: [
            {
              content: { role: "model", parts: [{ text: "", thoughtSignature: "c2lnRA==" }] },
              finishReason: "STOP",
              index: 0,
            },
          ],
          ...usage(10, 2),
        },
      ],
    },
    parts: [{ type: "text", text: "Hello" }],
    finish: "stop",
    units: { input_tokens: 10, output_tokens: 2 },
    costNanoUsd: 18_000,
    returned: ["c2lnRA=="],
  },
  {
    title: "content that a filter blocked",
    model: "gemini",
    response: { body: whole([{ text: "The" }], "MODEL_ARMOR", usage(10, 1)) },
    parts: [{ type: "text", text: "The" }],
    finish: "refusal",
    units: { input_tokens: 10, output_tokens: 1 },
    costNanoUsd: 14_000,
  },
];
