/** The fields of a page's address, by name. Invalid values are ignored. */
export type SearchReader = Readonly<Record<string, "text" | "flag" | "number">>;

interface Kinds {
  text: string;
  flag: boolean;
  number: number;
}

export type SearchOf<R extends SearchReader> = { [Name in keyof R]?: Kinds[R[Name]] | undefined };

const longest = 500;

function readOne(kind: SearchReader[string], value: unknown): unknown {
  if (kind === "flag") return value === true ? true : undefined;
  if (kind === "number") return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  const isText = typeof value === "string" || typeof value === "number";
  return isText && value !== "" ? String(value).slice(0, longest) : undefined;
}

/** Reads a page's address, so that a shared address shows the same page. */
export function fromSearch<R extends SearchReader>(reader: R) {
  return (search: Record<string, unknown>): SearchOf<R> => {
    const read = Object.entries(reader).map(([name, kind]) => [name, readOne(kind, search[name])]);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as SearchOf<R>;
  };
}
