import { type ModelRights, mayUseModel, namesOf } from "@uag/catalog/names";
import type { Catalog, Model } from "@uag/catalog/types";
import { closest } from "./closest.ts";

/**
 * The model that a request for an unknown id probably meant, of those that the key may use for the
 * operation. Ids are compared without case, without a provider's name as in `openai/gpt-4o-mini`,
 * and without a variant as in `gpt-4o-mini:free`.
 */
export function meantModel(id: string, usable: readonly Model[]): string | undefined {
  const bare = bareId(id);
  const ids = new Map(usable.flatMap(namesOf).map((each) => [bareId(each), each]));
  const name = ids.has(bare) ? bare : closest(bare, ids.keys());
  return name === undefined ? undefined : ids.get(name);
}

const separators = /[\s._]+/g;

function bareId(id: string): string {
  const name = id.slice(0, 256).trim().toLowerCase();
  const [withoutVariant = ""] = name.slice(name.lastIndexOf("/") + 1).split(":");
  return withoutVariant.replaceAll(separators, "-");
}

/** The models that a caller may use for an operation. */
export function usableModels(catalog: Catalog, caller: ModelRights, operation: string): readonly Model[] {
  return [...catalog.models.values()].filter((model) => model.operations.has(operation) && mayUseModel(caller, model));
}

/** A model for a path that another one does not serve: of the same owner, if there is one. */
export function fittingModel(other: Model, usable: readonly Model[]): string | undefined {
  return (usable.find(({ ownedBy }) => ownedBy === other.ownedBy) ?? usable[0])?.id;
}
