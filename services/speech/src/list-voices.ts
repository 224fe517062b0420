import { type ModelRights, mayUseModel, namesOf } from "@uag/catalog/names";
import type { Catalog } from "@uag/catalog/types";
import { voiceListQuery } from "@uag/contract/requests/queries";
import type { CapabilityContext } from "@uag/pipeline/context";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";

interface Voice {
  readonly id: string;
  readonly object: "voice";
  readonly name: string;
  /** Ids of the models that support the voice, among those that the key may use. */
  readonly models: string[];
  /** Whether it is used when a request names no voice. */
  default: boolean;
}

/** `GET /v1/audio/voices`; with `?model=` only those of one model. */
export function listVoices(context: Pick<CapabilityContext, "catalog" | "events">): Operation {
  return defineQuery(context, {
    respond({ target }, caller) {
      const { model } = readQuery(voiceListQuery, target);
      return { body: { object: "list", data: voicesOf(context.catalog.current, caller, model) } };
    },
  });
}

function voicesOf(catalog: Catalog, caller: ModelRights, wanted: string | undefined): Voice[] {
  const voices = new Map<string, Voice>();
  for (const each of catalog.models.values()) {
    const { id: model, speech } = each;
    const isWanted = wanted === undefined || namesOf(each).includes(wanted);
    if (speech === undefined || !isWanted || !mayUseModel(caller, each)) continue;
    for (const [place, id] of speech.voices.entries()) {
      const voice: Voice = voices.get(id) ?? { id, object: "voice", name: id, models: [], default: false };
      voice.models.push(model);
      voice.default ||= place === 0;
      voices.set(id, voice);
    }
  }
  return [...voices.values()];
}
