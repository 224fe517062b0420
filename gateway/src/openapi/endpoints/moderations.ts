import { moderationRequest } from "@uag/contract/requests/moderations";
import { moderationResult } from "@uag/contract/responses/media";
import type { Operation } from "../operation.ts";

export const tags = {
  Moderations: "Classification of harmful texts and images. Free; requests count toward the key's limits.",
};

/** Classification of harmful content. */
export const endpoints = {
  moderations: {
    id: "createModeration",
    tag: "Moderations",
    summary: "Classifies whether texts and images are harmful; free",
    request: { ModerationRequest: moderationRequest },
    ok: { json: { ModerationResult: moderationResult } },
    examples: [
      {
        name: "texts",
        summary: "Two texts, each with its own result",
        body: { model: "omni-moderation-latest", input: ["I will find you and hurt you.", "A boat on a lake"] },
      },
      {
        name: "image",
        summary: "A text and an image, with one result",
        body: {
          model: "omni-moderation-latest",
          input: [
            { type: "text", text: "A boat on a lake" },
            { type: "image_url", image_url: { url: "https://example.com/boat.png" } },
          ],
        },
      },
    ],
  },
} satisfies Readonly<Record<string, Operation>>;
