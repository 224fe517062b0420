import { inline, testImages } from "../../test/image-cases.ts";

testImages("ark", {
  sent: [
    {
      what: "Ark, without n and without a watermark",
      request: { size: "2K", references: [inline], options: { seed: 1 } },
      path: "/images/generations",
      body: {
        model: "theirs",
        prompt: "a cat",
        image: "data:image/png;base64,UE5H",
        size: "2K",
        response_format: "url",
        watermark: false,
        seed: 1,
      },
    },
    {
      what: "Ark, several images with a requested watermark",
      request: {
        references: [inline, { type: "url", url: "https://a.test/1" }],
        delivery: "inline",
        options: { watermark: true },
      },
      path: "/images/generations",
      body: {
        model: "theirs",
        prompt: "a cat",
        image: ["data:image/png;base64,UE5H", "https://a.test/1"],
        response_format: "b64_json",
        watermark: true,
      },
    },
  ],
  read: [
    {
      what: "reports a failed image of a set as a fault and does not bill it",
      body: { data: [{ url: "https://x/1" }, { error: { code: "E", message: "no" } }], usage: { generated_images: 1 } },
      expected: { images: 1, faults: 1, billed: 1 },
    },
  ],
  failing: [
    {
      what: "fails when every image of a set failed",
      body: { data: [{ error: { code: "E", message: "no" } }] },
      kind: "client",
      code: "E",
    },
  ],
  statuses: [
    { status: 429, body: { error: { code: "SetLimitExceeded", message: "cap" } }, kind: "quota" },
    { status: 429, body: { error: { code: "ServerOverloaded", message: "busy" } }, kind: "capacity" },
    { status: 403, body: { error: { code: "AccountOverdueError", message: "pay" } }, kind: "operator" },
    { status: 400, body: { error: { code: "InputTextSensitiveContentDetected", message: "no" } }, kind: "client" },
  ],
});
