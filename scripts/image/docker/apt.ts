import { runTool } from "@uag/local/engines/run-tool";
import { step, UserError } from "@uag/local/terminal/step";

export const isInstalled = (program: string): Promise<boolean> =>
  runTool("sh", ["-c", 'command -v "$1"', "sh", program]).then(({ code }) => code === 0);

async function apt(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { code, output } = await runTool("apt-get", args, { env });
  if (code !== 0) throw new UserError(`apt-get ${args.join(" ")} failed. Output:\n${output.trim()}`);
}

/**
 * Installs the Debian package of a program that is missing.
 * @throws {UserError} naming the package, on a machine where this process cannot install it
 */
export async function installPackage(name: string, program: string): Promise<void> {
  if (await isInstalled(program)) return;
  if (process.getuid?.() !== 0 || !(await isInstalled("apt-get")))
    throw new UserError(
      `${program} was not found. Install it (on Debian: apt-get install ${name}), or run the command as root on Debian or Ubuntu, where it does so.`,
    );
  await step(`Installing ${name}`, async () => {
    await apt(["update", "-qq"]);
    await apt(["install", "--yes", "--no-install-recommends", name]);
  });
}
