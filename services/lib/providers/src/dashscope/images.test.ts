import { inline, testImages } from "../../test/image-cases.ts";

testImages("dashscope", {
  sent: [
    {
      what: "DashScope, text to image",
      request: { size: "1024*1024", options: { prompt_extend: true, watermark: false, seed: 3 } },
      path: "/api/v1/services/aigc/multimodal-generation/generation",
      body: {
        model: "theirs",
        input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] },
        parameters: { size: "1024*1024", n: 1, prompt_extend: true, watermark: false, seed: 3 },
      },
    },
    {
      what: "DashScope, images before the text, a size under the vendor's name",
      request: { size: "1472*1140", references: [{ type: "url", url: "https://a.test/1" }, inline] },
      path: "/api/v1/services/aigc/multimodal-generation/generation",
      body: {
        model: "theirs",
        input: {
          messages: [
            {
              role: "user",
              content: [{ image: "https://a.test/1" }, { image: "data:image/png;base64,UE5H" }, { text: "a cat" }],
            },
          ],
        },
        parameters: { size: "1472*1104", n: 1 },
      },
    },
    {
      what: "DashScope, a size that is not sent",
      request: { size: "9*9" },
      path: "/api/v1/services/aigc/multimodal-generation/generation",
      body: {
        model: "theirs",
        input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] },
        parameters: { n: 1 },
      },
    },
  ],
  read: [
    {
      what: "keeps the usage object unmodified",
      body: '{"output":{"choices":[{"message":{"content":[{"image":"https://x/1"}]}}]},"usage":{"image_count": 1,"w":1e2}}',
      expected: { billed: 1, units: undefined, raw: '{"image_count": 1,"w":1e2}' },
    },
  ],
  failing: [
    {
      what: "an error of DashScope's under status 200",
      body: { code: "InvalidParameter", message: "no" },
      kind: "client",
    },
    { what: "an overdue DashScope account", body: { code: "Arrearage", message: "pay" }, kind: "operator" },
  ],
  statuses: [
    { status: 429, body: { code: "Throttling.RateQuota", message: "slow down" }, kind: "capacity" },
    { status: 400, body: { code: "Arrearage", message: "pay" }, kind: "operator" },
    { status: 400, body: { code: "DataInspectionFailed", message: "no" }, kind: "client" },
    { status: 500, body: { code: "InternalError", message: "oops" }, kind: "transient" },
  ],
});
