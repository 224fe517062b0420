import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { Browser, clientId, clientSecret, passProvider, startProvider } from "./console/oidc-provider.ts";

const verified = { email_verified: true };

describe("sign-in with OpenID Connect", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();
  const people: Record<string, Record<string, unknown>> = {
    olga: { ...verified, email: "olga@example.com", name: "Olga", groups: ["staff", "gateway-admins"] },
    max: { ...verified, email: "max@example.com", name: "Max", groups: ["team"] },
    nobody: { ...verified, email: "nobody@example.com", groups: ["staff"] },
    unverified: { email: "unverified@example.com", email_verified: false, groups: ["gateway-admins"] },
    unverifiedText: { email: "text@example.com", email_verified: "false", groups: ["gateway-admins"] },
    unverifiedNull: { email: "null@example.com", email_verified: 0, groups: ["gateway-admins"] },
    clash: { ...verified, email: "admin@localhost", groups: ["gateway-admins"] },
  };

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "console-oidc-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const provider = resources.use(await startProvider(people));
    const env = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_LABEL: "Example",
      OIDC_ROLES: "gateway-admins=operator,team=member:acct_default",
    };
    fleet = resources.use(await startTestFleet({ dataDir, single: true, env }));
    provider.allow(callback());
  });
  after(() => resources.disposeAsync());

  const callback = (): string => `${fleet.run.console_url}/api/oidc/callback`;
  const startUrl = (query = ""): URL => new URL(`${fleet.run.console_url}/api/oidc/start${query}`);
  const backAt = (browser: Browser, name: string, query = ""): Promise<URL> =>
    passProvider(browser, startUrl(query), name, callback());

  /** The console's redirect after a return from the provider. */
  async function land(browser: Browser, url: URL): Promise<string> {
    const response = await browser.once(url, { headers: { "sec-fetch-site": "cross-site" } });
    assert.equal(response.status, 303);
    return response.headers.get("location") ?? "";
  }

  async function session(browser: Browser): Promise<{ status: number; user?: Record<string, unknown> }> {
    const response = await browser.once(new URL(`${fleet.run.console_url}/api/session`));
    return { status: response.status, user: ((await response.json()) as { user: Record<string, unknown> }).user };
  }

  test("a user signs in at the provider and gets the claim's role at each sign-in", async () => {
    const shown = await fetch(`${fleet.run.console_url}/api/sign-in`).then((response) => response.json());
    assert.deepEqual(shown, { password: true, password_reset: false, oidc: { label: "Example" } });
    const browser = new Browser();
    assert.equal(await land(browser, await backAt(browser, "olga", "?return_to=/console/keys")), "/console/keys");
    const first = await session(browser);
    assert.equal(first.user?.["role"], "operator");
    assert.equal(first.user?.["email"], "olga@example.com");

    people["olga"] = { ...people["olga"], groups: ["team"] };
    const again = new Browser();
    assert.equal(await land(again, await backAt(again, "olga", "?return_to=//evil.example/")), "/console/");
    const second = await session(again);
    assert.equal(second.user?.["id"], first.user?.["id"]);
    assert.deepEqual([second.user?.["role"], second.user?.["account_id"]], ["member", "acct_default"]);
  });

  test("a user without a role or a verified address, or with the address of a password user, is refused", async () => {
    for (const [name, code] of [
      ["nobody", "permission_denied"],
      ["unverified", "permission_denied"],
      ["unverifiedText", "permission_denied"],
      ["unverifiedNull", "permission_denied"],
      ["clash", "already_exists"],
    ] as const) {
      const browser = new Browser();
      assert.equal(await land(browser, await backAt(browser, name)), `/console/sign-in?error=${code}`, name);
      assert.equal((await session(browser)).status, 401);
    }
  });

  test("a provider's response is valid once, only in the browser that started the sign-in, and only with its state", async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const back = await backAt(mine, "max");
    assert.match(await land(theirs, back), /^\/console\/sign-in\?error=/, "another browser");
    await theirs.once(startUrl());
    assert.match(await land(theirs, back), /^\/console\/sign-in\?error=/, "another sign-in's state");
    assert.equal((await session(theirs)).status, 401);
    assert.equal(await land(mine, back), "/console/");
    assert.equal((await session(mine)).user?.["role"], "member");
    const replay = new Browser();
    assert.match(await land(replay, back), /error=/);
  });
});
