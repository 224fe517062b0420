/** The part of a zod schema that a table is made from. */
export interface FieldSchema {
  readonly description?: string | undefined;
  readonly def: {
    readonly type: string;
    readonly innerType?: FieldSchema;
    readonly in?: FieldSchema;
    readonly defaultValue?: unknown;
  };
}

interface Field {
  readonly preset: string;
  readonly description: string;
}

/**
 * Looks through wrappers (default, optional, transform) for the description, the default, and
 * whether the setting is optional.
 */
function readField(schema: FieldSchema): Field {
  let preset: string | undefined;
  let description: string | undefined;
  for (let at: FieldSchema | undefined = schema; at; at = at.def.innerType ?? at.def.in) {
    description ??= at.description;
    if (at.def.type === "default" || at.def.type === "prefault") preset ??= shown(at.def.defaultValue);
    if (at.def.type === "optional") preset ??= "none";
  }
  return { preset: preset ?? "required", description: description ?? "" };
}

function shown(value: unknown): string {
  if (value === "") return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : `\`${value.join(",")}\``;
  return `\`${String(value)}\``;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** The Markdown table of a service's settings. */
export function configTable(shape: Readonly<Record<string, FieldSchema>>): string {
  const rows = Object.entries(shape).map(([name, schema]) => {
    const { preset, description } = readField(schema);
    return `| \`${name}\` | ${cell(preset)} | ${cell(description)} |`;
  });
  return ["| Variable | Default | What it does |", "|---|---|---|", ...rows].join("\n");
}

const begin = "<!-- config -->";
const end = "<!-- /config -->";

/** The table in a README, or undefined if it has no place for one. */
export function tableIn(readme: string): string | undefined {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  return from < 0 || to < from ? undefined : readme.slice(from + begin.length, to).trim();
}

/** The README with the new table in place of the old, or at its end. */
export function withTable(readme: string, table: string): string {
  const block = `${begin}\n${table}\n${end}`;
  if (tableIn(readme) === undefined) return `${readme.trimEnd()}\n\n## Settings\n\n${block}\n`;
  const from = readme.indexOf(begin);
  return readme.slice(0, from) + block + readme.slice(readme.indexOf(end) + end.length);
}
