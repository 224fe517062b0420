import { rename, writeFile } from "node:fs/promises";

/** Writes a file that only this user may read, all or nothing. */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(part, path);
}
