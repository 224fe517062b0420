import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { Stage } from "./console/stage.ts";
import { Visitor } from "./console/visitor.ts";
import { lettersTo, linkIn } from "./mail/letters.ts";
import { MailServer } from "./mail/mail-server.ts";

const stepMs = 30_000;
/** How long a code must still be accepted when it is generated. */
const marginMs = 10_000;
const password = "correct horse battery staple";
const newPassword = "a new horse battery staple";

/** An authenticator app. Each step's code works once, and the console also accepts the last step and the next. */
class App {
  readonly #totp: TOTP;
  #last = 0;

  constructor(secret: string) {
    this.#totp = new TOTP({ secret: secret.replaceAll(" ", "") });
  }

  /** A code that was not used before. */
  async next(): Promise<string> {
    const step = Math.max(this.#last + 1, Math.floor((Date.now() + marginMs) / stepMs) - 1);
    await waitFor(() => step <= Math.floor(Date.now() / stepMs) + 1, { what: "the next code" });
    this.#last = step;
    return this.#totp.generate({ timestamp: step * stepMs });
  }
}

describe("signing in with a second factor, and without a password", () => {
  let stage: Stage;
  let mail: MailServer;
  const resources = new AsyncDisposableStack();

  before(async () => {
    mail = resources.use(await MailServer.start());
    const smtp = { SMTP_URL: mail.url(), SMTP_CA: mail.ca, SMTP_FROM: "Gateway <gateway@example.com>" };
    stage = resources.use(await Stage.open({ env: { ...smtp, TWO_FACTOR_ROLES: "operator" } }));
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  let operatorApp: App;

  /** Sets up an app on a page that asks for the password first. @returns it, and the recovery codes */
  async function setUp(page: Page, own: string): Promise<{ app: App; codes: string[] }> {
    // The profile also has a form for a new password, with a field of that name.
    const form = page.locator("form", { has: page.getByRole("button", { name: "Continue" }) });
    await form.getByRole("textbox", { name: "Current password" }).fill(own);
    await form.getByRole("button", { name: "Continue" }).click();
    await page.getByAltText("QR code for the authenticator app").waitFor();
    const app = new App((await page.getByTestId("totp-secret").textContent()) ?? "");
    await page.getByLabel("6-digit code from the app").fill(await app.next());
    await page.getByRole("button", { name: "Verify and turn on" }).click();
    await page.getByText("Save your recovery codes").waitFor();
    const codes = await page
      .getByRole("listitem")
      .filter({ hasText: /^\w{4}-\w{4}-\w{4}$/ })
      .allInnerTexts();
    assert.equal(codes.length, 10);
    await page.getByRole("button", { name: "I've saved my codes" }).click();
    return { app, codes };
  }

  async function signInOperator(code: string): Promise<Page> {
    const page = await stage.newPage("/sign-in");
    await stage.fillIn(page);
    await page.getByLabel("Authentication code").fill(code);
    await page.getByRole("button", { name: "Verify" }).click();
    return page;
  }

  const overview = (page: Page): Promise<void> => page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  test("an operator sets up the required second factor first, and each code signs in once", async () => {
    const page = await stage.newPage("/sign-in");
    await stage.fillIn(page);
    await page.getByRole("heading", { level: 1, name: "Set up two-factor authentication" }).waitFor();
    const { email, password: first } = stage.fleet.run.admin;
    const before = await new Visitor(stage.fleet.run.console_url).signIn(email, first);
    for (const path of ["/api/users", "/api/admin/v1/accounts", "/api/gateway/v1/models", "/api/events"])
      assert.equal((await before.get(path)).status, 403, path);
    const { app, codes } = await setUp(page, first);
    await overview(page);
    assert.equal((await before.get("/api/session")).status, 401, "other sessions end");

    const code = await app.next();
    await overview(await signInOperator(code));
    const again = await signInOperator(code);
    await again.getByText("The code is incorrect or was used before.").waitFor();
    const [recovery = ""] = codes;
    await again.getByLabel("Authentication code").fill(recovery.toUpperCase().replaceAll("-", " "));
    await again.getByRole("button", { name: "Verify" }).click();
    await overview(again);
    await again.goto(`${stage.fleet.run.console_url}/profile`);
    await again.getByText("9 recovery codes left.").waitFor();
    const reused = await signInOperator(recovery);
    await reused.getByText("The code is incorrect or was used before.").waitFor();
    operatorApp = app;
  });

  test("a mailed invitation lets a person join, and an operator resets the second factor that they lost", async () => {
    const operator = await signInOperator(await operatorApp.next());
    await overview(operator);
    await operator.goto(`${stage.fleet.run.console_url}/members`);
    await operator.getByRole("button", { name: "Invite" }).click();
    const dialog = operator.getByRole("dialog");
    await dialog.getByLabel("Email").fill("mona@example.com");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await dialog.getByText("The invitation was emailed to mona@example.com.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();

    const link = linkIn(lettersTo(mail, "mona@example.com")[0], `${stage.fleet.run.console_url}/invitations/`);
    const mona = await stage.newPage(link.slice(stage.fleet.run.console_url.length));
    await mona.getByLabel("Your name").fill("Mona");
    await mona.getByRole("textbox", { name: "Password" }).fill(password);
    await mona.getByRole("button", { name: "Create account" }).click();
    await mona.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await mona.goto(`${stage.fleet.run.console_url}/profile`);
    await mona.getByRole("button", { name: "Set up two-factor authentication" }).click();
    await setUp(mona, password);
    await mona.getByText("10 recovery codes left.").waitFor();

    await operator.reload();
    await operator.getByRole("button", { name: "Actions for mona@example.com" }).click();
    await operator.getByRole("menuitem", { name: "Reset two-factor authentication" }).click();
    await operator.getByText("mona@example.com was signed out and can now sign in with the password alone.").waitFor();
    const after = await stage.newPage("/sign-in");
    await stage.fillIn(after, { email: "mona@example.com", password });
    await after.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await mona.reload();
    await mona.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  test("a mailed link resets a forgotten password once, and signs out every session", async () => {
    const who = { email: "mona@example.com", password };
    const session = await stage.newPage("/sign-in");
    await stage.fillIn(session, who);
    await session.getByRole("heading", { level: 1, name: "API keys" }).waitFor();

    const page = await stage.newPage("/sign-in");
    await page.getByRole("link", { name: "Forgot password?" }).click();
    // The sign-in page, which also has an Email field, stays until the next one is loaded.
    await page.getByRole("heading", { level: 1, name: "Reset password" }).waitFor();
    await page.getByLabel("Email").fill("Mona@Example.com");
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
    const subject = "Reset your password for the AI gateway";
    const letters = () => lettersTo(mail, who.email).filter(({ text }) => text.includes(subject));
    await waitFor(() => letters().length === 1, { what: "the mail" });
    const link = linkIn(letters()[0], `${stage.fleet.run.console_url}/reset-password#`);
    await page.goto(link);
    const reset = async (text: string): Promise<void> => {
      await page.getByRole("textbox", { name: "New password" }).fill(text);
      await page.getByRole("button", { name: "Set password" }).click();
    };
    await reset(newPassword);
    await page.getByRole("heading", { level: 1, name: "Password changed" }).waitFor();
    await session.reload();
    await session.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await reset(`${newPassword} 2`);
    await page.getByText("The link is invalid, used or expired.").waitFor();

    await stage.fillIn(session, who);
    await session.getByText("The email address or password is incorrect.").waitFor();
    await stage.fillIn(session, { ...who, password: newPassword });
    await session.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  });

  test("requests for a reset are limited, and their response is the same for every address", async () => {
    const visitor = new Visitor(stage.fleet.run.console_url);
    const ask = (email: string) => visitor.post("/api/password-resets", { email });
    const subject = "Reset your password for the AI gateway";
    const mailed = () => lettersTo(mail, "mona@example.com").filter(({ text }) => text.includes(subject)).length;
    const before = mailed();
    const known = await ask("mona@example.com");
    const unknown = await ask("nobody@example.com");
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
    assert.equal(known.status, 202);
    await waitFor(() => mailed() === before + 1, { what: "the mail" });
    const statuses: number[] = [];
    for (let times = 0; times < 25; times++) statuses.push((await ask("mona@example.com")).status);
    assert.equal(statuses.at(-1), 429);
    assert.ok(mailed() <= 3, `${mailed()} mails to one address`);
    assert.equal(lettersTo(mail, "nobody@example.com").length, 0);
  });
});
