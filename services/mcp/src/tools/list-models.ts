import { modelOperations } from "@uag/contract/routes";
import { z } from "zod";
import { modelSchema, priceLine } from "../gateway/models.ts";
import { defineTool } from "./tool.ts";

export const listModels = defineTool({
  name: "list_models",
  title: "List models",
  description: "Lists the models that this key may use, with their inputs, outputs, operations and prices. Free.",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({
    operation: z.enum(modelOperations).optional().describe("Only models that support this operation."),
    search: z.string().max(200).optional().describe("Only models whose id, name or owner contains this text."),
  }),
  output: z.object({ models: z.array(modelSchema) }),
  async run({ operation, search }, { exchange }) {
    const text = search?.toLowerCase() ?? "";
    const models = exchange.models.filter(
      ({ operations, id, display_name, owned_by }) =>
        (operation === undefined || operations.includes(operation)) &&
        `${id} ${display_name} ${owned_by}`.toLowerCase().includes(text),
    );
    const lines = models.map((model) => `${model.id} (${model.operations.join(", ")}): USD ${priceLine(model)}`);
    return {
      structured: { models },
      content: [{ type: "text", text: lines.join("\n") || "No model of this key matches." }],
    };
  },
});
