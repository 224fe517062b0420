import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** The provider's claims about a person, by their user name there. */
export type Claims = Readonly<Record<string, unknown>>;

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
}

export const clientId = "gateway-console";
export const clientSecret = "a secret of the test's own";

/** A real OpenID Connect provider, for one client that needs PKCE. */
export async function startProvider(
  people: Readonly<Record<string, Claims>>,
): Promise<TestProvider & { allow(redirectUri: string): void }> {
  let send: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((request, response) => {
    if (send === undefined) response.writeHead(503).end();
    else void send(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    allow(redirectUri) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        pkce: { required: () => true },
        cookies: { keys: ["test"] },
        findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
      });
      send = provider.callback();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser that follows redirects, with a cookie jar for each site. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookiesOf(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async once(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookiesOf(url.origin) };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    const jar = this.#cookies.get(url.origin) ?? new Map<string, string>();
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      const at = pair.indexOf("=");
      if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    this.#cookies.set(url.origin, jar);
    return response;
  }

  /** Follows redirects to a page, or to an address for which `stop` returns true. */
  async go(url: URL, stop: (url: URL) => boolean, init: RequestInit = {}): Promise<{ url: URL; response?: Response }> {
    let [at, response] = [url, await this.once(url, init)];
    for (let hops = 0; hops < 20 && response.status >= 300 && response.status < 400; hops++) {
      at = new URL(response.headers.get("location") ?? "", at);
      if (stop(at)) return { url: at };
      response = await this.once(at);
    }
    return { url: at, response };
  }
}

/** Signs in and consents at the provider; returns the address to which it redirects the browser. */
export async function passProvider(browser: Browser, start: URL, name: string, back: string): Promise<URL> {
  const isBack = (url: URL): boolean => url.href.startsWith(back);
  let { url, response } = await browser.go(start, isBack);
  for (let forms = 0; forms < 3 && !isBack(url); forms++) {
    const page = (await response?.text()) ?? "";
    const [, action = ""] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
    assert.notEqual(action, "", `a form of the provider: ${response?.status} ${page.slice(0, 300)}`);
    const isLogin = page.includes('value="login"');
    const body = new URLSearchParams(isLogin ? { prompt: "login", login: name, password: "x" } : { prompt: "consent" });
    ({ url, response } = await browser.go(new URL(action, url), isBack, { method: "POST", body }));
  }
  return url;
}
