import { type ModelOperation, modelOperations } from "@uag/contract/routes";
import i18next from "i18next";
import type { Model } from "../../api/types.ts";

/** What an operation is for. Several have the same name: all that generate text are "Chat". */
export const capabilityText = (operation: ModelOperation): string => i18next.t(`models.operations.${operation}`);

/** What a model can do, as people say it. */
export function capabilitiesOf({ operations }: Model): string[] {
  return [...new Set(modelOperations.filter((name) => operations.includes(name)).map(capabilityText))];
}

export const isChatModel = ({ operations }: Model): boolean => operations.includes("chat.completions");

/** The first operation of each capability. */
export function capabilityOperations(): ModelOperation[] {
  const texts = modelOperations.map(capabilityText);
  return modelOperations.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}
