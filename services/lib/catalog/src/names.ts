import { mayUse } from "./access.ts";
import type { Catalog, Model } from "./types.ts";

type Named = Pick<Model, "id" | "aliases">;

/** The names by which requests may call a model: its id first. */
export const namesOf = ({ id, aliases = [] }: Named): readonly string[] => [id, ...aliases];

/** The model that has a name: its id, or one of its aliases. */
export function modelNamed({ models, aliases }: Pick<Catalog, "models" | "aliases">, name: string): Model | undefined {
  return models.get(name) ?? models.get(aliases.get(name) ?? "");
}

/** Whether a key may use a model, which is so if it may use any of its names. @param allowed the key's list */
export const mayUseModel = (allowed: readonly string[], model: Named): boolean =>
  namesOf(model).some((name) => mayUse(allowed, name));
