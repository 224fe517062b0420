import type { Model } from "@uag/catalog/types";
import type { ClientFormat } from "@uag/chat/format";
import { chatCompletions } from "@uag/chat/operations/chat-completions";
import { generateContent } from "@uag/chat/operations/generate-content";
import { messages } from "@uag/chat/operations/messages";
import { responses } from "@uag/chat/operations/responses";
import type { FieldTable } from "@uag/providers/passed-fields/cost-class";
import { chatFields } from "./chat-fields.ts";
import { type Column, columnNames, columns } from "./columns.ts";
import { classedBodies, classedSection, costCell, costLegend, otherRows } from "./costs.ts";
import type { DocumentedFormat } from "./documented.ts";
import { geminiFields } from "./gemini-fields.ts";
import { messagesFields } from "./messages-fields.ts";
import { type Reach, reachOf, wholeCatalog } from "./reach.ts";
import { type Place, reasonFor } from "./reasons.ts";
import { responsesFields } from "./responses-fields.ts";

/** The client formats with their documented fields. */
export const documentedFormats: readonly (readonly [ClientFormat, DocumentedFormat])[] = [
  [chatCompletions, chatFields],
  [responses, responsesFields],
  [messages, messagesFields],
  [generateContent, geminiFields],
];

/** The treatment of one field, by column. */
export interface FieldRow {
  readonly name: string;
  readonly reaches: readonly (readonly [Column, Reach])[];
}

/** One row for each documented field of a format. */
export async function rowsOf(
  format: ClientFormat,
  documented: DocumentedFormat,
  models: ReadonlyMap<string, Model>,
): Promise<FieldRow[]> {
  const rows: FieldRow[] = [];
  for (const field of documented.fields) {
    const reaches: [Column, Reach][] = [];
    for (const column of columnNames) {
      const model = models.get(columns[column]);
      if (model === undefined) throw new Error(`the catalogue has no ${columns[column]}`);
      reaches.push([column, await reachOf(format, documented, { field, model })]);
    }
    rows.push({ name: field.name, reaches });
  }
  return rows;
}

const head = `# Fields

Every text model is available on every text endpoint. These tables show how each field of a request reaches each
provider: \`passed\` unchanged, translated to the named field, \`dropped\`, or \`refused\` with an error.

\`npm run check -- --fix\` generates this page by sending each field through the gateway's code. One model of the
catalogue represents each provider:

| Provider | Model |
|---|---|
${columnNames.map((name) => `| ${name} | \`${columns[name]}\` |`).join("\n")}

${costLegend}`;

const maxPaths = 2;

function cell(reach: Reach): string {
  if (reach.kind !== "translated") return reach.kind;
  const shown = reach.to.slice(0, maxPaths).map((path) => `\`${path}\``);
  return reach.to.length > maxPaths ? `${shown.join(", ")}, ...` : shown.join(", ");
}

const cellsOf = ({ name, reaches }: FieldRow, costs: FieldTable): string =>
  `| \`${name}\` | ${reaches.map(([, reach]) => cell(reach)).join(" | ")} | ${costCell(costs, name)} |`;

/** One row for each reason of a field, with the columns that it applies to. */
function explanations(path: string, { name, reaches }: FieldRow): string[] {
  const byReason = new Map<string, Column[]>();
  for (const [column, reach] of reaches) {
    const reason = explanation(reach, { path, name, column });
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), column]);
  }
  return [...byReason].map(([reason, where]) => {
    const providers = where.length === reaches.length ? "all" : where.join(", ");
    return `| \`${name}\` | ${providers} | ${reason} |`;
  });
}

function explanation(reach: Reach, place: Place): string | undefined {
  if (reach.kind === "refused") return `Refused: “${reach.message.replaceAll("|", "\\|")}”`;
  return reach.kind === "dropped" ? `Dropped. ${reasonFor(place)}` : undefined;
}

/** The whole page, in Markdown. */
export async function fieldsPage(): Promise<string> {
  const models = await wholeCatalog();
  let page = head;
  for (const [format, documented] of documentedFormats) {
    const rows = await rowsOf(format, documented, models);
    const table = [
      `| Field | ${columnNames.join(" | ")} | Cost |`,
      `|---|${"---|".repeat(columnNames.length + 1)}`,
      ...rows.map((row) => cellsOf(row, documented.costs)),
    ];
    const reasons = rows.flatMap((row) => explanations(documented.path, row));
    page += `\n## ${documented.title}\n\n\`POST ${documented.path}\`, as [documented](${documented.source}).\n\n`;
    page += `${table.join("\n")}\n\n### Dropped and refused: ${documented.title.toLowerCase()}\n\n`;
    page += `| Field | Providers | Reason |\n|---|---|---|\n${reasons.join("\n")}\n`;
    const others = otherRows(
      documented.costs,
      documented.fields.map(({ name }) => name),
    );
    page += `\n### Other fields: ${documented.title.toLowerCase()}\n\n`;
    page += `| Field | Cost |\n|---|---|\n${others.join("\n")}\n`;
  }
  return page + classedBodies.map(classedSection).join("");
}
