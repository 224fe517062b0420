import { labelOf } from "@uag/contract/labels";
import { type ModelOperation, modelOperations } from "@uag/contract/routes";
import type { Model } from "../../api/types.ts";
import { language } from "../../i18n/i18n.ts";

/** What an operation is for. Several have the same name: all that generate text are "Chat". */
export const capabilityText = (operation: ModelOperation): string => labelOf(operation)[language()];

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
