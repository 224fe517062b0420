import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { createMailer, type MailSettings } from "@uag/notifications/mail/mail";
import { login, MailServer, type MailServerOptions } from "./mail/mail-server.ts";

const letter = { id: "msg_1", to: "team@example.com", subject: "80% of $5 is spent", text: "Spent: $4.00\n" };

async function start(resources: AsyncDisposableStack, options: MailServerOptions, more: Partial<MailSettings> = {}) {
  const server = resources.use(await MailServer.start(options));
  const settings = { url: server.url(), from: "Gateway <gateway@example.com>", ca: server.ca, tls: true };
  return { server, mailer: resources.use(createMailer({ ...settings, timeoutMs: 30_000, ...more })) };
}

for (const secure of [true, false]) {
  test(`mail is sent over TLS${secure ? "" : " by STARTTLS"}, authenticated, with an id of its own`, async () => {
    await using resources = new AsyncDisposableStack();
    const { server, mailer } = await start(resources, { secure });
    assert.deepEqual(await mailer.send(letter), { status: 250, error: "", isFinal: true });
    const [got] = server.letters;
    assert.deepEqual([got?.to, got?.user, got?.isEncrypted], ["team@example.com", login.user, true]);
    assert.match(got?.text ?? "", /^From: Gateway <gateway@example\.com>\r$/m);
    assert.match(got?.text ?? "", /^Message-ID: <msg_1@example\.com>\r$/m);
    assert.match(got?.text ?? "", /^Auto-Submitted: auto-generated\r$/m);
    assert.match(got?.text ?? "", /^Subject: 80% of \$5 is spent\r\n[\s\S]*\r\n\r\nSpent: \$4\.00\r\n/m);
  });
}

test("a subject cannot inject headers", async () => {
  await using resources = new AsyncDisposableStack();
  const { server, mailer } = await start(resources, {});
  await mailer.send({ ...letter, subject: "one\r\nBcc: other@example.com\r\n\r\nbody" });
  assert.equal(server.letters.length, 1);
  assert.doesNotMatch(server.letters[0]?.text ?? "", /^Bcc:/m);
});

test("without TLS neither mail nor password is sent unless configured", async () => {
  await using resources = new AsyncDisposableStack();
  const { server, mailer } = await start(resources, { plain: true });
  const { error, isFinal } = await mailer.send(letter);
  assert.deepEqual([error, isFinal], ["the mail server responded with status 500 (ETLS)", false]);
  assert.equal(server.letters.length, 0);
  const open = await start(resources, { plain: true }, { tls: false, url: server.url() });
  assert.equal((await open.mailer.send(letter)).error, "");
  assert.deepEqual(
    server.letters.map(({ isEncrypted }) => isEncrypted),
    [false],
  );
});

test("a server without a certificate of the CA receives nothing", async () => {
  await using resources = new AsyncDisposableStack();
  const { server, mailer } = await start(resources, {}, { ca: undefined });
  const { error, isFinal } = await mailer.send(letter);
  assert.match(error, /^the mail server could not be used \(E[A-Z]+\)$/);
  assert.equal(isFinal, false);
  assert.equal(server.letters.length, 0);
});

test("only a rejection of the message is final, and errors contain neither server nor password", async () => {
  await using resources = new AsyncDisposableStack();
  const replies: Readonly<Record<string, number>> = { "busy@example.com": 451, "nobody@example.com": 550 };
  const { server, mailer } = await start(resources, { reply: (to) => replies[to] ?? 250 });
  const outcomes = await Promise.all(Object.keys(replies).map((to) => mailer.send({ ...letter, to })));
  assert.deepEqual(outcomes, [
    { status: 451, error: "the mail server responded with status 451 (EENVELOPE)", isFinal: false },
    { status: 550, error: "the mail server responded with status 550 (EENVELOPE)", isFinal: true },
  ]);
  const { mailer: stranger } = await start(
    resources,
    {},
    {
      url: server.url({ user: "gateway", password: "wrong-secret" }),
      ca: server.ca,
    },
  );
  assert.deepEqual(await stranger.send(letter), {
    status: 535,
    error: "the mail server responded with status 535 (EAUTH)",
    isFinal: false,
  });
});

test("a silent server times out", async () => {
  await using resources = new AsyncDisposableStack();
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  resources.defer(() => void silent.close());
  const { port } = silent.address() as { port: number };
  const url = `smtp://127.0.0.1:${port}`;
  const { mailer } = await start(resources, {}, { url, timeoutMs: 200 });
  const { error, isFinal } = await mailer.send(letter);
  assert.match(error, /did not respond in time|ETIMEDOUT/);
  assert.equal(isFinal, false);
});
