import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const run = promisify(execFile);
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const installMs = 300_000;
const launchMs = 120_000;

async function found(): Promise<string | undefined> {
  const named = process.env["CHROMIUM"];
  if (named !== undefined) return named;
  for (const place of places)
    if (
      await access(place).then(
        () => true,
        () => false,
      )
    )
      return place;
  return undefined;
}

/**
 * A real Chromium: the one named by CHROMIUM, or an installed one; on Debian, root installs it
 * first.
 * @throws {Error} with instructions, if none is found and none can be installed
 */
export async function openBrowser(): Promise<Browser> {
  let executablePath = await found();
  if (executablePath === undefined && process.getuid?.() === 0) {
    await run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { timeout: installMs });
    executablePath = await found();
  }
  if (executablePath === undefined)
    throw new Error(
      "Chromium was not found. Install it (on Debian: apt-get install chromium) or set CHROMIUM to its path.",
    );
  return await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: launchMs });
}
