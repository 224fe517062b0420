import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end with `input`. Rejects when it cannot be started. */
export async function ran(program: string, args: readonly string[], input = ""): Promise<Ran> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined).end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, out, err };
}

/** Runs a program and returns its output. @throws {Error} with its errors if it fails */
export async function run(program: string, args: readonly string[], input = ""): Promise<string> {
  const { code, out, err } = await ran(program, args, input);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed with ${code}:\n${err}${out}`);
  return out;
}
