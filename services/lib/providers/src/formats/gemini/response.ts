import type { ResponseEvent, StopReason, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import { CandidateParts, joinedParts, type Part } from "./candidate-parts.ts";
import { candidate, responseId, showsThoughts, usageMetadata } from "./response-object.ts";

interface Candidate {
  readonly reader: CandidateParts;
  readonly parts: Part[];
  stop: StopReason;
}

/** A complete response as a `GenerateContentResponse`. */
export function generateContentResponse(events: readonly ResponseEvent[], call: GenerationCall): object {
  const candidates = new Map<number, Candidate>();
  let id = "";
  let modelVersion: string | undefined;
  let tokens: Tokens | undefined;
  const at = (index: number): Candidate => {
    const known = candidates.get(index) ?? { reader: new CandidateParts(showsThoughts(call)), parts: [], stop: "stop" };
    candidates.set(index, known);
    return known;
  };
  for (const event of events) {
    if (event.type === "start") ({ id, model: modelVersion } = event);
    else if (event.type === "usage") ({ tokens } = event);
    else if ("candidate" in event) {
      const one = at(event.candidate);
      one.parts.push(...one.reader.take(event));
      if (event.type === "stop") one.stop = event.reason;
    }
  }
  return {
    candidates: [...candidates].map(([index, { parts, stop }]) => candidate(index, joinedParts(parts), stop)),
    ...usageMetadata(tokens),
    modelVersion: modelVersion ?? call.model.id,
    responseId: responseId(id, call.requestId),
  };
}
