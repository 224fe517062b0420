import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UserError } from "@uag/local/terminal/step";

interface OutputOptions {
  /** The command in an error. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: Readable | undefined;
}

/**
 * Runs a program and returns its standard output.
 * @throws {UserError} with all its output if it fails
 */
export async function outputOf(
  program: string,
  args: readonly string[],
  { name, env, input }: OutputOptions,
): Promise<string> {
  const child = spawn(program, args, { env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // A client that ends early reports why in its output.
  if (input !== undefined && child.stdin) await pipeline(input, child.stdin).catch(() => undefined);
  if ((await code) === 0) return output;
  throw new UserError(`${name} failed:\n${`${output}${errors}`.trim()}`);
}
