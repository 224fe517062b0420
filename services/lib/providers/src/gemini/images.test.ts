import { inline, testImages } from "../../test/image-cases.ts";

testImages("gemini", {
  sent: [
    {
      what: "Gemini, a size as aspect ratio and tier",
      request: { size: "3840x2160", references: [inline] },
      path: "/v1beta/models/theirs:generateContent",
      body: {
        contents: [
          { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "UE5H" } }, { text: "a cat" }] },
        ],
        generationConfig: {
          responseModalities: ["TEXT", "IMAGE"],
          imageConfig: { aspectRatio: "16:9", imageSize: "4K" },
        },
      },
    },
    {
      what: "Gemini, only a prompt",
      request: {},
      path: "/v1beta/models/theirs:generateContent",
      body: {
        contents: [{ role: "user", parts: [{ text: "a cat" }] }],
        generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
      },
    },
  ],
  read: [
    {
      what: "counts Gemini's text and thoughts in addition to its image",
      body: {
        candidates: [
          {
            content: {
              parts: [
                { thought: true, inlineData: { data: "AA" } },
                { inlineData: { mimeType: "image/png", data: "AA" } },
              ],
            },
          },
        ],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 1_300,
          thoughtsTokenCount: 20,
          totalTokenCount: 1_329,
          candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
        },
      },
      expected: { images: 1, units: { input_tokens: 9, image_output_tokens: 1_290, output_tokens: 30 } },
    },
  ],
  failing: [
    {
      what: "a blocked prompt",
      body: { promptFeedback: { blockReason: "SAFETY" } },
      kind: "client",
      code: "content_policy_violation",
    },
    {
      what: "a withheld image",
      body: { candidates: [{ finishReason: "IMAGE_SAFETY" }] },
      kind: "client",
      code: "content_policy_violation",
    },
    {
      what: "text without an image",
      body: { candidates: [{ content: { parts: [{ text: "I cannot" }] }, finishReason: "STOP" }] },
      kind: "client",
      code: "no_image",
    },
  ],
  statuses: [
    { status: 404, body: { error: { code: 404, status: "NOT_FOUND", message: "no" } }, kind: "unknown_model" },
  ],
});
