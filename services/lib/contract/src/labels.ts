import { type Label, type ModelOperation, routes } from "./routes.ts";

const labels: ReadonlyMap<string, Label> = new Map(
  routes.flatMap((route) =>
    "operation" in route && route.label !== undefined ? [[route.operation, route.label]] : [],
  ),
);

/** What a model with the operation can do. */
export function labelOf(operation: ModelOperation): Label {
  const label = labels.get(operation);
  if (label === undefined) throw new Error(`no route labels the operation ${operation}`);
  return label;
}
