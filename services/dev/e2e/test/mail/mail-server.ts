import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { issue, makeAuthority } from "@uag/local/identity/authority";
import { SMTPServer } from "smtp-server";

export interface Letter {
  readonly to: string;
  /** The message as received, with its headers. */
  readonly text: string;
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
}

export interface MailServerOptions {
  /** TLS from the first byte, instead of STARTTLS. */
  readonly secure?: boolean;
  /** Offers no TLS at all. */
  readonly plain?: boolean;
  /** The server's reply code for a recipient; 250 by default. */
  readonly reply?: (to: string) => number;
}

export const login = { user: "gateway", password: "p@ss:word/1" } as const;

/** A mail server that stores the received messages. */
export class MailServer implements AsyncDisposable {
  readonly letters: Letter[] = [];
  readonly #server: SMTPServer;
  readonly #secure: boolean;
  /** PEM. */
  readonly ca: string;

  private constructor(tls: { ca: string; cert: string; key: string }, options: MailServerOptions) {
    const { secure = false, plain = false, reply = () => 250 } = options;
    this.ca = tls.ca;
    this.#secure = secure;
    this.#server = new SMTPServer({
      secure,
      cert: tls.cert,
      key: tls.key,
      allowInsecureAuth: plain,
      ...(plain && { disabledCommands: ["STARTTLS"] }),
      onAuth: ({ username, password }, _session, callback) => {
        const isKnown = username === login.user && password === login.password;
        callback(isKnown ? null : new Error("unknown user"), { user: username });
      },
      onRcptTo: ({ address }, _session, callback) => {
        const responseCode = reply(address);
        callback(responseCode === 250 ? null : Object.assign(new Error("no"), { responseCode }));
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const [to] = session.envelope.rcptTo;
          const text = Buffer.concat(chunks).toString("utf8");
          const user = typeof session.user === "string" ? session.user : undefined;
          this.letters.push({ to: to?.address ?? "", text, user, isEncrypted: session.secure });
          callback();
        });
      },
    });
    // A client that does not trust the certificate sends an alert and disconnects.
    this.#server.on("error", () => undefined);
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const authority = await makeAuthority();
    const { cert, key } = await issue(authority, { commonName: "mail", ip: ["127.0.0.1"] });
    const server = new MailServer({ ca: authority.cert, cert, key }, options);
    await once(server.#server.listen(0, "127.0.0.1"), "listening");
    return server;
  }

  /** The value of `SMTP_URL`. */
  url({ user, password } = login as { user: string; password: string }): string {
    const { port } = this.#server.server.address() as AddressInfo;
    const who = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    return `${this.#secure ? "smtps" : "smtp"}://${who}@127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
