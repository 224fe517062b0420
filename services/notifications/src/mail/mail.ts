import { createTransport } from "nodemailer";
import { z } from "zod";

/** The configured mail server. */
export interface MailSettings {
  /** `smtps://user:password@host:port`, or `smtp://` for STARTTLS. */
  readonly url: string;
  readonly from: string;
  /** CA of the server, PEM; the system's when undefined. */
  readonly ca: string | undefined;
  /** False only for a relay on the same machine. */
  readonly tls: boolean;
  readonly timeoutMs: number;
}

interface Mail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

interface MailOutcome {
  /** The server's SMTP status; 0 when it gave none. */
  readonly status: number;
  /** Empty on success. Never contains our server's address, because accounts see it. */
  readonly error: string;
  /** A retry cannot succeed. */
  readonly isFinal: boolean;
}

export interface Mailer extends Disposable {
  send(mail: Mail): Promise<MailOutcome>;
}

const scheme = "mailto:";
const address = z.email().max(254);

/** The address in a `mailto:` URL of ours; undefined for anything else. */
export function addressIn(url: string): string | undefined {
  return url.startsWith(scheme) ? address.safeParse(url.slice(scheme.length)).data : undefined;
}

export const isMail = (url: string): boolean => url.startsWith(scheme);

const failure = z.object({ code: z.string().max(40).catch("EUNKNOWN"), responseCode: z.int().optional() });

function outcomeOf(error: unknown): MailOutcome {
  const { code, responseCode: status = 0 } = failure.parse(error);
  const text = status === 0 ? "could not be used" : `responded with status ${status}`;
  // A refused sign-in (5xx too) is for the operator to fix: only a refusal of the message itself is final.
  return {
    status,
    error: `the mail server ${text} (${code})`,
    isFinal: status >= 500 && (code === "EENVELOPE" || code === "EMESSAGE"),
  };
}

/** Sends mail by SMTP, never in the clear unless that is configured. */
export function createMailer({ url, from, ca, tls, timeoutMs }: MailSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: tls && !secure,
    ignoreTLS: !tls,
    ...(username !== "" && { auth }),
    tls: { minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) },
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const host = from.slice(from.lastIndexOf("@") + 1).replace(/>$/, "");
  return {
    async send({ id, to, subject, text }) {
      const message = { from, to: { name: "", address: to }, subject, text, messageId: `<${id}@${host}>` };
      const headers = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
      const late = Promise.withResolvers<MailOutcome>();
      const timer = setTimeout(() => {
        late.resolve({ status: 0, error: "the mail server did not respond in time", isFinal: false });
      }, timeoutMs);
      const sent = transport
        .sendMail({ ...message, headers })
        .then(() => ({ status: 250, error: "", isFinal: true }), outcomeOf)
        .finally(() => clearTimeout(timer));
      return await Promise.race([sent, late.promise]);
    },
    [Symbol.dispose]: () => transport.close(),
  };
}
