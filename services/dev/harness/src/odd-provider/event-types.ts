import type { ReceivedResponse } from "../start-operations.ts";

/** The member `type` of each event of a streamed response. */
export function eventTypesIn(response: ReceivedResponse): string[] {
  const blocks = response.text
    .replace(/<cut: .*>$/, "")
    .replace(/^\ufeff/, "")
    .split("\n\n")
    .filter((block) => block.includes("data:"));
  return blocks.map((block) => {
    const data = block
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5));
    return (JSON.parse(data.join("\n")) as { type: string }).type;
  });
}
