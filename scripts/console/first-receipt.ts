import { en } from "@uag/console-web/i18n/en";
import type { Run } from "@uag/local/run-file";
import type { Page } from "./sign-in.ts";

/** Follows the first steps from the overview: a key, a request with it, and the request's receipt. */
export async function openFirstReceipt(page: Page, { base_url }: Run): Promise<void> {
  const { keys, nav, overview, usage } = en;
  await page.getByRole("link", { name: overview.steps.key }).click();
  await page.getByRole("button", { name: keys.create }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(keys.form.name, { exact: true }).fill("first steps");
  await dialog.getByRole("button", { name: keys.form.submit }).click();
  const key = await page.getByLabel(keys.made.key, { exact: true }).inputValue();
  await page.getByRole("button", { name: keys.made.done }).click();
  const response = await fetch(`${base_url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  if (!response.ok) throw new Error(`The first request failed with ${response.status}: ${await response.text()}`);
  await page.getByRole("link", { name: nav.overview }).click();
  await page.getByRole("link", { name: overview.steps.receipt }).click();
  await page.locator("tbody tr[tabindex]").first().click();
  await page.getByRole("dialog", { name: usage.receipt.title }).getByText(requestId).first().waitFor();
}
