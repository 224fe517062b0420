import { type FileHandle, open } from "node:fs/promises";
import { UserError } from "@uag/local/terminal/step";
import { z } from "zod";

/** A line of the mapping file: the key that replaces one of the other gateway. */
export interface MappedKey {
  readonly name: string;
  readonly old_key: string;
  readonly imported_from: string;
  readonly account_id: string;
  readonly key_id: string;
  /** The new secret: it is nowhere else. */
  readonly key: string;
}

/** The file of new keys, one JSON object a line, readable by its owner only. */
export interface MappingFile extends AsyncDisposable {
  /** The `imported_from` of its lines when it was opened. */
  readonly origins: ReadonlySet<string>;
  /** Writes a line to the disk. */
  add(key: MappedKey): Promise<void>;
}

const ownerOnly = 0o600;
const others = 0o077;

const mappedLine = z.object({ imported_from: z.string() });

/** The origins of a file's complete lines. @throws {UserError} for a file with other content */
function originsIn(path: string, content: string): Set<string> {
  const lines = content.split("\n").filter((line) => line !== "");
  try {
    return new Set(lines.map((line) => mappedLine.parse(JSON.parse(line)).imported_from));
  } catch (error) {
    throw new UserError(`${path} has content other than new keys. Set another file.`, { cause: error });
  }
}

/** Opens the file to append to it. @throws {UserError} if others may read it */
export async function openMappingFile(path: string): Promise<MappingFile> {
  const file: FileHandle = await open(path, "a+", ownerOnly).catch((error: unknown) => {
    throw new UserError(`--mapping ${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  });
  const { mode } = await file.stat();
  if ((mode & others) !== 0) {
    await file.close();
    throw new UserError(`${path} is to have secrets, but others may read it. Change that: chmod 600 ${path}`);
  }
  const content = await file.readFile("utf8");
  return {
    origins: originsIn(path, content),
    async add(key) {
      await file.appendFile(`${JSON.stringify(key)}\n`);
      await file.sync();
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
