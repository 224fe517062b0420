import { rename, writeFile } from "node:fs/promises";

/** Writes a file that only this user can read, atomically. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, text, { mode: 0o600 });
  await rename(part, path);
}

export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  await writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}
