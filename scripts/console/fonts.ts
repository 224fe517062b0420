import { UserError } from "@uag/local/terminal/step";
import type { Page } from "./sign-in.ts";

/** Draws a text in the page's font; resolves to its pixels. */
const pixelsOf = (text: string): string => `(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
  const context = canvas.getContext("2d");
  context.font = "32px sans-serif";
  context.fillText(${JSON.stringify(text)}, 0, 32);
  return canvas.toDataURL();
})()`;

/**
 * Checks that Chinese characters are not all drawn as the same box.
 * @throws {UserError} if no installed font has them
 */
export async function checkChineseFont(page: Page): Promise<void> {
  const [one, other] = [await page.evaluate(pixelsOf("账")), await page.evaluate(pixelsOf("密"))];
  if (one === other)
    throw new UserError("No installed font has Chinese characters (on Debian: apt-get install fonts-noto-cjk).");
}
