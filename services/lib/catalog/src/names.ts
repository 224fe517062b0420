import { mayUse } from "./access.ts";
import type { Catalog, Model } from "./types.ts";

type Named = Pick<Model, "id" | "aliases">;

/** The names by which requests may call a model: its id first. */
export const namesOf = ({ id, aliases = [] }: Named): readonly string[] => [id, ...aliases];

/** The model that has a name: its id, or one of its aliases. */
export function modelNamed({ models, aliases }: Pick<Catalog, "models" | "aliases">, name: string): Model | undefined {
  return models.get(name) ?? models.get(aliases.get(name) ?? "");
}

/** A list of the models that may be used, by their names: see {@link mayUse}. */
interface Allowing {
  readonly models: readonly string[];
}

/** What a caller may use: models that its key and each level above it allow. */
export interface ModelRights<L extends Allowing = Allowing> extends Allowing {
  readonly levels: readonly L[];
}

const allows = ({ models }: Allowing, model: Named): boolean => namesOf(model).some((name) => mayUse(models, name));

/** Whether a caller may use a model, which a list allows if it allows any of its names. */
export const mayUseModel = (caller: ModelRights, model: Named): boolean =>
  allows(caller, model) && caller.levels.every((level) => allows(level, model));

/** The lowest level that withholds a model which the key itself may use; undefined: none does. */
export const withholdingLevel = <L extends Allowing>(caller: ModelRights<L>, model: Named): L | undefined =>
  allows(caller, model) ? caller.levels.find((level) => !allows(level, model)) : undefined;
