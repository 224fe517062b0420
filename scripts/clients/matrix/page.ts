/** One call of the matrix; `error` is null if the client received the model's response. */
export interface MatrixCall {
  readonly client: string;
  readonly model: string;
  readonly stream: boolean;
  readonly tools: boolean;
  readonly error: string | null;
}

const head = `# Clients

Every client below was run against every text model, served by the simulator: a text and a tool call, each whole and
streamed. A cell shows how many of a provider's calls gave the client what the model sent. \`npm run clients -- --matrix\`
runs them again and writes this page.
`;

const modes = ["whole", "streamed", "whole, tool", "streamed, tool"] as const;
const modeOf = ({ stream, tools }: MatrixCall): string => modes[(tools ? 2 : 0) + (stream ? 1 : 0)] as string;

/**
 * The page about a run of the matrix.
 * @param ownerOf the provider of a model
 */
export function matrixPage(calls: readonly MatrixCall[], ownerOf: (model: string) => string): string {
  const owners = [...new Set(calls.map(({ model }) => ownerOf(model)))];
  const byClient = [...Map.groupBy(calls, ({ client }) => client)];
  const rows = byClient.map(([client, ofClient]) => {
    const cells = owners.map((owner) => {
      const ofOwner = ofClient.filter(({ model }) => ownerOf(model) === owner);
      return `${ofOwner.filter(({ error }) => error === null).length} of ${ofOwner.length}`;
    });
    return `| ${client} | ${cells.join(" | ")} |`;
  });
  const table = [`| Client | ${owners.join(" | ")} |`, `|---|${"---|".repeat(owners.length)}`, ...rows];
  const failed = calls.filter(({ error }) => error !== null);
  const failures = failed.map(
    (call) =>
      `| ${call.client} | \`${call.model}\` | ${modeOf(call)} | ${(call.error ?? "").replaceAll(/[|\n]+/g, " ")} |`,
  );
  const failureTable = ["", "| Client | Model | Call | Error |", "|---|---|---|---|", ...failures];
  const models = new Set(calls.map(({ model }) => model)).size;
  const sum = `${byClient.length} clients, ${models} models, ${calls.length} calls, ${failed.length} failed.`;
  return `${head}\n${[sum, "", ...table, ...(failed.length > 0 ? failureTable : [])].join("\n")}\n`;
}
