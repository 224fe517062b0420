const maxDataLength = 200;
const picture = /^data:image\/(\w+);base64,/;
/** Starts a string that represents an image. Texts do not contain it, because JSON escapes it. */
const mark = "\0";
const written = /"\\u0000([^"]*?,)([^"]*)"/g;

/** A program's expression for an image, which reads its file. */
export type ReadPicture = (prefix: string, file: string) => string;

export interface PicturesInFiles {
  /** The body, with marks in place of its images. */
  readonly body: unknown;
  /** The files from which the images are read. */
  readonly files: readonly string[];
}

/**
 * Replaces a body's images by files, because data: URLs would make the code unreadable.
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
