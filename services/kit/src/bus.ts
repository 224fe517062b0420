import { connect, type NatsConnection } from "nats";
import type { HealthCheck } from "./health.ts";
import type { Logger } from "./log.ts";

export interface Bus extends AsyncDisposable {
  readonly connection: NatsConnection;
  /** False while the broker cannot be reached; the connection keeps trying for ever. */
  readonly connected: boolean;
  /** Runs `handler` for each message of a core subject (at most once, no replay). */
  subscribe(subject: string, handler: (data: Uint8Array, subject: string) => void): void;
  /** Runs `handler` each time the connection is lost or found again. */
  onChange(handler: (connected: boolean) => void): void;
  readonly check: HealthCheck;
}

/**
 * Connects to NATS, waiting for it as long as it takes, and stays connected: every loss is retried for ever.
 * @param options.url comma-separated `nats://host:port`
 */
export async function connectBus(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const connection = await connect({
    servers: options.url.split(","),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    timeout: 2_000,
    pingInterval: 5_000,
    maxPingOut: 2,
  });
  let connected = true;
  const listeners: ((connected: boolean) => void)[] = [];
  const watch = async (): Promise<void> => {
    for await (const event of connection.status()) {
      const now = event.type === "reconnect" ? true : event.type === "disconnect" ? false : connected;
      if (now === connected) continue;
      connected = now;
      options.log.warn({ event: event.type }, now ? "broker is back" : "broker lost");
      for (const listener of listeners) listener(now);
    }
  };
  watch().catch((error: unknown) => options.log.error({ err: error }, "broker status ended"));
  return {
    connection,
    get connected() {
      return connected;
    },
    subscribe(subject, handler) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error) options.log.error({ err: error, subject }, "subscription failed");
          else handler(message.data, message.subject);
        },
      });
    },
    onChange: (handler) => {
      listeners.push(handler);
    },
    check: async () => (connected ? { ok: true } : { ok: false, reason: "the broker cannot be reached" }),
    async [Symbol.asyncDispose]() {
      await connection.close();
    },
  };
}
