import type { Upstream } from "@uag/catalog/types";
import { encodeJson } from "@uag/untrusted/json/encode";
import { UpstreamFailure } from "../failure.ts";
import type { GenerationCall, UnaryResponse } from "../generation.ts";
import { CutLists } from "../reading/cut-lists.ts";
import { eventsInTurns } from "../reading/whole-stream.ts";
import { Aggregate } from "./aggregate.ts";
import { errorInside } from "./errors.ts";
import { generatedText } from "./text.ts";
import { thoughtUnitOf, unitsOfUsage } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

/** Context for reading a response. */
export interface ResponseContext {
  readonly call: Pick<GenerationCall, "model">;
  readonly upstream: Upstream;
  readonly variant: OpenAiVariant;
}

/**
 * Assembles a complete stream into one response.
 * @throws {UpstreamFailure} for an error in the stream, a chunk that is not JSON, or a missing end
 */
export async function collectChat(body: Buffer, { call, upstream, variant }: ResponseContext): Promise<UnaryResponse> {
  const aggregate = new Aggregate();
  let finished = false;
  for await (const { text } of eventsInTurns(body)) {
    if (text === "" || finished) continue;
    if (text === "[DONE]") {
      finished = true;
      continue;
    }
    const chunk = parsedChunk(text);
    const failure = errorInside(chunk, upstream, variant);
    if (failure !== undefined) throw failure;
    aggregate.add(chunk);
  }
  if (!finished) throw new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 });
  const lists = new CutLists();
  const completion = aggregate.completion(lists);
  const units = unitsOfUsage(completion["usage"], thoughtUnitOf(call.model));
  return {
    body: await lists.restore(await encodeJson(completion)),
    usage: units === undefined ? undefined : { units, raw: Buffer.from(JSON.stringify(completion["usage"])) },
    deliveredText: () => generatedText(completion),
  };
}

function parsedChunk(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new UpstreamFailure("transient", "a chunk of the stream is not JSON", { status: 200, cause });
  }
  throw new UpstreamFailure("transient", "a chunk of the stream is not an object", { status: 200 });
}
