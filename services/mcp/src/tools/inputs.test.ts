import assert from "node:assert/strict";
import { test } from "node:test";
import { chatRequest } from "@uag/contract/requests/chat";
import { embeddingRequest } from "@uag/contract/requests/embeddings";
import { createEnvelopeRequest } from "@uag/contract/requests/envelopes";
import { imageEditRequest, imageRequests } from "@uag/contract/requests/images";
import { speechRequest } from "@uag/contract/requests/speech";
import { billingUsageQuery } from "@uag/contract/requests/usage";
import { videoRequests } from "@uag/contract/requests/videos";
import { z } from "zod";
import { tools } from "./tools.ts";

type Shape = Readonly<Record<string, z.core.$ZodType>>;

const { alpha, gamma } = imageRequests;
const { wan, grok } = videoRequests;

/** The fields of the requests that a tool sends, including those of nested objects. */
const requests: Readonly<Record<string, readonly Shape[]>> = {
  chat: [chatRequest.shape],
  generate_image: [gamma.shape, alpha.shape.parameters.unwrap().unwrap().shape],
  edit_image: [imageEditRequest.shape],
  create_video: [wan.shape, wan.shape.input.shape, wan.shape.parameters.unwrap().unwrap().shape, grok.shape],
  embed: [embeddingRequest.shape],
  synthesize_speech: [speechRequest.shape],
  get_usage: [billingUsageQuery.shape],
  open_envelope: [createEnvelopeRequest.shape],
};

const families = "Each model family has its own name for it.";
const task = "The id is in the path, which has no schema.";

/** Fields that only the tool has, with the reason. */
const ownFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  list_models: { operation: "The tool filters the list.", search: "The same." },
  chat: {
    messages: "The request also has roles and parts that only a model writes.",
    json_schema: "The schema alone, which becomes a response_format.",
  },
  generate_image: {
    size: "One way of writing for all families, which have x or * between the sides.",
    images: families,
  },
  edit_image: {
    images: "URLs in place of a form's files.",
    mask: "The same.",
    n: "A number in place of a form's digits.",
  },
  create_video: {
    resolution: "The catalogue's three values, for a model to choose from.",
    first_frame_url: families,
    reference_urls: families,
  },
  get_video: { id: task },
  wait_for_video: { id: task, timeout_seconds: "The tool waits itself." },
  cancel_video: { id: task },
  open_envelope: { max_usd: "A number only, which is easier for a model." },
  get_envelope: { id: task },
  close_envelope: { id: task },
  embed: { texts: "Always a list, and never of tokens; each tool's text is one input." },
  synthesize_speech: {
    text: "The request's input, limited by the audio size of one response.",
    format: "The two that clients play.",
  },
};

/** A field's type, whether or not it is optional. Its description is ignored. */
function innermost(field: z.core.$ZodType): z.core.$ZodTypeDef {
  const wrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault;
  return wrapped ? innermost(field.unwrap()) : field._zod.def;
}

for (const { name: tool, input } of tools) {
  test(`${tool} has the same field schemas as its route's request, except for the listed reasons`, () => {
    const own = ownFields[tool] ?? {};
    const foreign = Object.entries(input.shape).filter(
      ([name, field]) =>
        !requests[tool]?.some((shape) => shape[name] !== undefined && innermost(shape[name]) === innermost(field)),
    );
    assert.deepEqual(foreign.map(([name]) => name).toSorted(), Object.keys(own).toSorted());
  });
}
