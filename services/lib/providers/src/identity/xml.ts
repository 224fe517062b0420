const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The text of the first element of this name, which has no attributes or children; undefined without one. */
export function elementIn(xml: string, name: string): string | undefined {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const from = xml.indexOf(open) + open.length;
  const to = xml.indexOf(close, from);
  if (from < open.length || to < 0) return undefined;
  return xml.slice(from, to).replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => entities[entity] ?? "");
}
