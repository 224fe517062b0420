const maxDataLength = 200;
const picture = /^data:image\/(\w+);base64,/;
/** Begins a string that stands for a picture. No text has it: JSON writes it as an escape. */
const mark = "\0";
const written = /"\\u0000([^"]*?,)([^"]*)"/g;

/** What a program writes in place of a picture: an expression that reads its file. */
export type ReadPicture = (prefix: string, file: string) => string;

export interface PicturesInFiles {
  /** The body, with marks in place of its pictures. */
  readonly body: unknown;
  /** The files from which the pictures are read. */
  readonly files: readonly string[];
}

/**
 * Puts files in place of a body's pictures: as data: URLs they are thousands of characters that
 * nobody reads.
 */
export function picturesInFiles(body: unknown): PicturesInFiles {
  const files = new Map<string, string>();
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replace(one)]));
    if (typeof value !== "string" || value.length <= maxDataLength) return value;
    const [prefix, type] = picture.exec(value) ?? [];
    if (prefix === undefined) return value;
    const file = files.get(value) ?? `picture-${files.size + 1}.${type}`;
    files.set(value, file);
    return `${mark}${prefix}${file}`;
  };
  return { body: replace(body), files: [...files.values()] };
}

/** Replaces the marks in the text of a program. */
export const readPictures = (text: string, read: ReadPicture): string =>
  text.replaceAll(written, (_all, prefix: string, file: string) => read(prefix, file));
