import type { ContentBlock } from "@modelcontextprotocol/server";
import { alphaImageResult, imageResult } from "@uag/contract/responses/media";
import { z } from "zod";
import type { ApiResponse, Exchange } from "../exchange.ts";
import { ToolError } from "./tool-error.ts";

/** Up to this size an image is embedded in the result; a larger one that has a URL is linked. */
const maxInlineBytes = 1024 * 1024;

/** All images of one response that have no URL, as base64. */
const maxResponseBytes = 64 * 1024 * 1024;
const tooLarge = "The images exceed 64 MiB in total. Request fewer or smaller images per call.";

/** The two formats of responses with images. */
const openAiShape = imageResult.pick({ data: true, output_format: true });
const alphaShape = alphaImageResult.pick({ output: true });

export const pictures = z
  .array(
    z.object({
      url: z.string().optional().describe("URL of the image, valid for 24 hours."),
      mime_type: z.string().optional(),
      inline: z.boolean().describe("Whether the image is included in this response's content."),
    }),
  )
  .describe("The images, in the order of the content blocks.");

export interface PictureResponse {
  readonly pictures: z.infer<typeof pictures>;
  readonly content: readonly ContentBlock[];
}

/** The images of a response, as content blocks. */
export async function picturesOf(response: ApiResponse, exchange: Exchange): Promise<PictureResponse> {
  const body = await exchange.readJson(response, maxResponseBytes).catch((error: unknown) => {
    if (error instanceof RangeError) throw new ToolError(tooLarge);
    throw error;
  });
  const shown = await Promise.all(sourcesOf(body).map((source) => show(source, exchange)));
  return { pictures: shown.map(({ picture }) => picture), content: shown.flatMap(({ blocks }) => blocks) };
}

interface Source {
  readonly url?: string | undefined;
  readonly base64?: string | undefined;
  readonly mimeType?: string;
}

function sourcesOf(body: unknown): Source[] {
  const alpha = alphaShape.safeParse(body);
  if (alpha.success) {
    const blocks = alpha.data.output.choices.flatMap(({ message }) => message.content);
    return blocks.flatMap(({ image: url }) => (url === undefined ? [] : [{ url }]));
  }
  const { data, output_format = "png" } = openAiShape.parse(body);
  return data.map(({ url, b64_json }) => ({
    url,
    base64: b64_json,
    mimeType: `image/${output_format}`,
  }));
}

interface Shown {
  readonly picture: z.infer<typeof pictures>[number];
  readonly blocks: ContentBlock[];
}

async function show({ url, base64, mimeType = "image/png" }: Source, exchange: Exchange): Promise<Shown> {
  if (base64 !== undefined) {
    const block: ContentBlock = { type: "image", data: exchange.splices.text(base64), mimeType };
    return { picture: { mime_type: mimeType, inline: true }, blocks: [block] };
  }
  if (url === undefined) return { picture: { inline: false }, blocks: [] };
  const link: ContentBlock = { type: "resource_link", uri: url, name: "picture", mimeType };
  // A link is enough where the image is too large or cannot be fetched.
  const file = await exchange.fetchFile(url, maxInlineBytes).catch(() => undefined);
  if (file === undefined) return { picture: { url, inline: false }, blocks: [link] };
  const block: ContentBlock = { type: "image", data: exchange.splices.base64(file.bytes), mimeType: file.mimeType };
  return {
    picture: { url, mime_type: file.mimeType, inline: true },
    blocks: [block, { ...link, mimeType: file.mimeType }],
  };
}
