import assert from "node:assert/strict";
import { test } from "node:test";
import { priceList } from "./price-list.ts";
import { modelPrice } from "./rates.ts";

test("a price list shows the catalogue's prices to the last decimal", () => {
  const row = {
    input_tokens: 0.15,
    output_tokens: 0.000000001,
    images: 0.035,
    video_seconds: { "720p": 0.1, "1080p": 0.15 },
    tiers: [{ above_input_tokens: 200_000, input_tokens: 0.3 }],
  };
  assert.deepEqual(priceList(modelPrice(row)), {
    usd: {
      input_tokens: 0.15,
      output_tokens: 0.000000001,
      images: 0.035,
      "video_seconds:720p": 0.1,
      "video_seconds:1080p": 0.15,
    },
    tiers: [{ above_input_tokens: 200_000, usd: { input_tokens: 0.3 } }],
  });
});
