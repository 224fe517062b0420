import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@uag/local/terminal/step";
import { z } from "zod";

async function recordsIn<T>(file: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readFile(file, "utf8");
  try {
    const read = z.object({ data: z.array(schema) }).safeParse(JSON.parse(text));
    if (read.success) return read.data.data;
    throw new UserError(`${file} is not a response of OpenRouter's API:\n${z.prettifyError(read.error)}`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UserError(`${file} is not JSON.`, { cause: error });
    throw error;
  }
}

/** Responses of OpenRouter's API in a folder. */
export interface Folder {
  /** The records of all files whose name begins with a name, such as `keys.json` and `keys-2.json`. */
  records<T>(name: string, schema: z.ZodType<T>): Promise<T[]>;
}

/** @throws {UserError} when there is no such folder */
export async function openFolder(path: string): Promise<Folder> {
  const names = await readdir(path).catch((error: unknown) => {
    throw new UserError(`${path} is not a folder: ${error instanceof Error ? error.message : error}`);
  });
  const json = names.filter((name) => name.endsWith(".json")).sort();
  return {
    async records(name, schema) {
      const files = json.filter((file) => file.startsWith(name));
      return (await Promise.all(files.map((file) => recordsIn(join(path, file), schema)))).flat();
    },
  };
}
