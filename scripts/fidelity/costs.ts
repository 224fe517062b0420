import { videoRequests } from "@uag/contract/requests/videos";
import { routes } from "@uag/contract/routes";
import { bounds, type CostClass, classOf, type FieldTable } from "@uag/providers/passed-fields/cost-class";
import { fieldCosts, videoFieldCosts } from "@uag/providers/passed-fields/media";
import { operations } from "@uag/router/openapi/operations";
import type { z } from "zod";

/** A request body that no provider shares with the gateway, with the class of each field. */
export interface ClassedBody {
  readonly title: string;
  readonly costs: FieldTable;
  /** The schemas that check it. */
  readonly schemas: readonly z.ZodType[];
}

type ClassedOperation = keyof typeof fieldCosts;

const pathsOf = (operation: string): string[] =>
  routes.flatMap((route) => ("operation" in route && route.operation === operation ? [`\`POST ${route.path}\``] : []));

/** Operations with one table are one body. */
const byTable = Map.groupBy(Object.keys(fieldCosts) as ClassedOperation[], (operation) => fieldCosts[operation]);

export const classedBodies: readonly ClassedBody[] = [
  ...[...byTable].map(([costs, names]) => ({
    title: names.flatMap(pathsOf).join(" and "),
    costs,
    schemas: names.flatMap((name) => Object.values(operations[name]?.request ?? {})),
  })),
  ...Object.entries(videoRequests).map(([family, schema]) => ({
    title: `${pathsOf("videos.generations").join()} for \`${family}\` models`,
    costs: videoFieldCosts[family as keyof typeof videoRequests],
    schemas: [schema],
  })),
];

/** The class of a field in a table's cell. @throws {Error} if the field has none */
export function costCell(table: FieldTable, name: string): string {
  const found = classOf(table, name);
  if (found === undefined)
    throw new Error(`${name} has no cost class: add it to services/lib/providers/src/passed-fields/`);
  return cellOf(found);
}

function cellOf(cost: CostClass): string {
  switch (cost.kind) {
    case "bounded":
      return `bounded: ${cost.by}`;
    case "free":
      return [`[free](${cost.source})`, cost.note].filter((text) => text !== undefined).join(". ");
    case "refused":
      return `refused: ${cost.reason}`;
  }
}

/** The rows of fields that are not documented. */
export function otherRows(table: FieldTable, shown: readonly string[]): string[] {
  const names = new Set(shown.flatMap((name) => [name, name.split(/[ .[]/)[0] as string]));
  return Object.keys(table)
    .filter((name) => !names.has(name))
    .map((name) => `| \`${name}\` | ${costCell(table, name)} |`);
}

/** The description of the classes, in Markdown. */
export const costLegend = `A field's cost class says what it can do to the cost of a request:

- \`bounded\`: the field changes the cost, and the hold bounds it.
- \`free\`: the field cannot raise the cost, according to the linked document.
- \`refused\`: no hold bounds the cost, so that the request gets a 400 naming the field.

| Bounded by | Sizing |
|---|---|
${Object.entries(bounds)
  .map(([name, text]) => `| ${name} | ${text} |`)
  .join("\n")}

A field without a class is not sent where the request is translated. Where client and provider share a format it is
passed, and the worst case is held for: the model's whole context as input, and its longest output. The same holds for
unknown members of messages and of their parts. An unknown member of a video's \`parameters\` is refused.

An operator who knows that such a field cannot raise the cost of a request lists it in the catalogue, in \`free_fields\`
of each provider that serves the model (for example \`free_fields: [turbo, output_config.turbo]\`). It is then held for as
if it were not there.
`;

/** A body's table, in Markdown. */
export function classedSection({ title, costs }: ClassedBody): string {
  const rows = Object.keys(costs).map((name) => `| \`${name}\` | ${costCell(costs, name)} |`);
  return `\n## ${title}\n\n| Field | Cost |\n|---|---|\n${rows.join("\n")}\n`;
}
