import { mayUse } from "@uag/catalog/access.ts";
import type { Catalog } from "@uag/catalog/types.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { SpeechContext } from "../operations.ts";

interface Voice {
  readonly id: string;
  readonly object: "voice";
  readonly name: string;
  /** Ids of the models that speak with it, of those that the key may use. */
  readonly models: string[];
  /** Spoken with when a request names no voice. */
  default: boolean;
}

/** `GET /v1/audio/voices`, with `?model=` those of one model. */
export function listVoices({ catalog }: Pick<SpeechContext, "catalog">): LinkHandler {
  return async (exchange) => {
    const model = new URL(exchange.target, "http://router").searchParams.get("model");
    const data = voicesOf(catalog.current, Caller.decode(exchange.context).models, model);
    const body = Buffer.from(JSON.stringify({ object: "list", data }));
    exchange.respond(200, ["content-type", "application/json", "content-length", String(body.length)], body);
  };
}

function voicesOf(catalog: Catalog, allowed: readonly string[], wanted: string | null): Voice[] {
  const voices = new Map<string, Voice>();
  for (const { id: model, speech } of catalog.models.values()) {
    if (speech === undefined || !mayUse(allowed, model) || (wanted !== null && wanted !== model)) continue;
    for (const [place, id] of speech.voices.entries()) {
      const voice: Voice = voices.get(id) ?? { id, object: "voice", name: id, models: [], default: false };
      voice.models.push(model);
      voice.default ||= place === 0;
      voices.set(id, voice);
    }
  }
  return [...voices.values()];
}
