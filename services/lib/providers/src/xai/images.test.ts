import { inline, testImages } from "../../test/image-cases.ts";

testImages("xai", {
  sent: [
    {
      what: "xAI, a size as aspect ratio and resolution",
      request: { count: 3, size: "1920x1080", options: { quality: "low" } },
      path: "/images/generations",
      body: {
        model: "theirs",
        prompt: "a cat",
        n: 3,
        quality: "low",
        aspect_ratio: "16:9",
        resolution: "2k",
        response_format: "b64_json",
      },
    },
    {
      what: "xAI, a small size",
      request: { size: "1024x1536", delivery: "inline" },
      path: "/images/generations",
      body: {
        model: "theirs",
        prompt: "a cat",
        n: 1,
        aspect_ratio: "2:3",
        resolution: "1k",
        response_format: "b64_json",
      },
    },
    {
      what: "xAI, edits as JSON in the client's own form",
      request: {
        references: [{ type: "url", url: "https://a.test/1" }],
        options: { aspect_ratio: "auto", resolution: "1.5k" },
      },
      path: "/images/edits",
      body: {
        model: "theirs",
        prompt: "a cat",
        n: 1,
        aspect_ratio: "auto",
        resolution: "1.5k",
        response_format: "b64_json",
        image: { type: "image_url", url: "https://a.test/1" },
      },
    },
    {
      what: "xAI, several images",
      request: { references: [inline, inline] },
      path: "/images/edits",
      body: {
        model: "theirs",
        prompt: "a cat",
        n: 1,
        resolution: "1k",
        response_format: "b64_json",
        images: [1, 2].map(() => ({ type: "image_url", url: "data:image/png;base64,UE5H" })),
      },
    },
  ],
  read: [
    {
      what: "reports a withheld image as a fault and does not bill it",
      body: { data: [{ url: "", respect_moderation: false }, { url: "https://x/1" }], usage: { cost_in_usd_ticks: 2 } },
      expected: { images: 1, faults: 1, billed: 1, raw: '{"cost_in_usd_ticks":2}' },
    },
  ],
  failing: [
    {
      what: "fails when every image was withheld",
      body: { data: [{ respect_moderation: false }] },
      kind: "client",
      code: "content_policy_violation",
    },
  ],
  statuses: [{ status: 400, body: { code: "bad", error: "Content violates usage guidelines." }, kind: "client" }],
});
