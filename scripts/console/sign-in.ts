import type { openBrowser } from "@uag/e2e/console/browser";
import type { Run } from "@uag/local/run-file";

export type Browser = Awaited<ReturnType<typeof openBrowser>>;
export type Page = Awaited<ReturnType<Browser["newPage"]>>;

/** Signs in the first operator on the sign-in page, in any language. */
export async function signIn(page: Page, { admin }: Pick<Run, "admin">): Promise<void> {
  await page.locator("input[autocomplete=username]").fill(admin.email);
  await page.locator("input[autocomplete=current-password]").fill(admin.password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  await page.locator("main h1:visible").first().waitFor();
}
