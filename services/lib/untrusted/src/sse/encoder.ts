/** One event as bytes. Data with line breaks becomes several `data:` lines. */
export function encodeSse(event: { name?: string; data: string }): Buffer {
  const lines = event.data.includes("\n") || event.data.includes("\r") ? event.data.split(/\r\n|\r|\n/) : [event.data];
  const name = event.name === undefined || event.name === "" ? "" : `event: ${event.name}\n`;
  return Buffer.from(`${name}data: ${lines.join("\ndata: ")}\n\n`);
}
