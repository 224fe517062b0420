import type { Run } from "@uag/local/run-file";

const password = "abuse-of-the-console";

/** The headers of a signed-in browser. */
export type SignedIn = Readonly<Record<"cookie" | "x-csrf-token", string>>;

/** Signs in to the console as the first operator. @throws {Error} for an unsuccessful response */
export async function signInAsOperator({ console_url: url, admin }: Run): Promise<SignedIn> {
  return await signedIn(url, "/api/session", { email: admin.email, password: admin.password });
}

/**
 * Signs in to the console as a new member of an account, the role with the fewest rights.
 * @throws {Error} for an unsuccessful response
 */
export async function signInAsMember(run: Run, accountId: string): Promise<SignedIn> {
  const { console_url: url } = run;
  const operator = await signInAsOperator(run);
  const invitation = { email: "nobody@example.com", role: "member", account_id: accountId };
  const { body } = await post(`${url}/api/invitations`, invitation, operator);
  const { url: link } = body as { url: string };
  return await signedIn(url, `/api/invitations/${link.slice(link.lastIndexOf("/") + 1)}/accept`, { password });
}

async function signedIn(url: string, path: string, fields: object): Promise<SignedIn> {
  const { body, cookie } = await post(url + path, fields);
  return { cookie, "x-csrf-token": (body as { csrf_token: string }).csrf_token };
}

async function post(url: string, fields: object, headers?: SignedIn): Promise<{ body: unknown; cookie: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`);
  const cookies = response.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  return { body: await response.json(), cookie: cookies.join("; ") };
}
