import { type ConnectionOptions, connect, createInbox, credsAuthenticator, type NatsConnection } from "nats";
import type { NatsSettings } from "./config.ts";
import type { HealthCheck } from "./health.ts";
import type { Logger } from "./log.ts";

/** A process's connection to NATS. Disposing flushes what was published and closes it. */
export interface Bus extends AsyncDisposable {
  readonly connection: NatsConnection;
  /** False while the broker is unreachable; the connection keeps retrying for ever. */
  readonly connected: boolean;
  /**
   * Runs `handler` for each message of a core subject (at most once, no replay). Of the processes
   * that name the same queue, one receives each message.
   */
  subscribe(
    subject: string,
    handler: (data: Uint8Array, subject: string) => void,
    options?: { readonly queue?: string },
  ): void;
  /** Creates a reply subject that only this user can receive. */
  inbox(): string;
  /**
   * Runs `handler` whenever the connection is lost or restored; returns a function that
   * unsubscribes.
   */
  onChange(handler: (connected: boolean) => void): () => void;
  readonly check: HealthCheck;
}

/**
 * Connection options for the client library, which, unlike other clients, neither reads users from
 * URLs nor distinguishes servers that offer TLS from those that require it. TLS is used when a URL
 * says `tls:`, or a CA or a certificate is configured.
 */
export function natsOptions(settings: NatsSettings): ConnectionOptions {
  const urls = settings.NATS_URL.split(",").map((text) => new URL(text.includes("://") ? text : `nats://${text}`));
  const withUser = urls.find(({ username }) => username !== "");
  const user = settings.NATS_USER ?? (withUser && decodeURIComponent(withUser.username));
  const pass = settings.NATS_PASSWORD ?? (withUser && decodeURIComponent(withUser.password));
  const { NATS_CREDS: creds, NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile } = settings;
  const files = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  const secure = Object.keys(files).length > 0 || urls.some(({ protocol }) => protocol === "tls:");
  return {
    servers: urls.map(({ host }) => host),
    ...(user !== undefined && { user, pass: pass ?? "", inboxPrefix: `_INBOX.${user}` }),
    ...(creds !== undefined && { authenticator: credsAuthenticator(Buffer.from(creds)) }),
    tls: secure ? files : null,
  };
}

/** Connects to NATS, waiting indefinitely, and reconnects for ever after every loss. */
export async function connectBus(options: { settings: NatsSettings; name: string; log: Logger }): Promise<Bus> {
  const nats = natsOptions(options.settings);
  const connection = await connect({
    ...nats,
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    timeout: 2_000,
    pingInterval: 5_000,
    maxPingOut: 2,
  });
  let connected = true;
  const listeners = new Set<(connected: boolean) => void>();
  const watch = async (): Promise<void> => {
    for await (const event of connection.status()) {
      const now = event.type === "reconnect" ? true : event.type === "disconnect" ? false : connected;
      if (now === connected) continue;
      connected = now;
      options.log.warn(
        { event: event.type },
        now ? "connection to the broker restored" : "connection to the broker lost",
      );
      for (const listener of listeners) listener(now);
    }
  };
  watch().catch((error: unknown) => options.log.error({ err: error }, "the broker's status stream ended"));
  return {
    connection,
    get connected() {
      return connected;
    },
    subscribe(subject, handler, { queue } = {}) {
      connection.subscribe(subject, {
        ...(queue !== undefined && { queue }),
        callback: (error, message) => {
          if (error) options.log.error({ err: error, subject }, "subscription failed");
          else handler(message.data, message.subject);
        },
      });
    },
    inbox: () => createInbox(nats.inboxPrefix ?? "_INBOX"),
    onChange: (handler) => {
      listeners.add(handler);
      return () => listeners.delete(handler);
    },
    check: async () => (connected ? { ok: true } : { ok: false, reason: "the broker is unreachable" }),
    async [Symbol.asyncDispose]() {
      await connection.close();
    },
  };
}
