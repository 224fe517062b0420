import { type ProcessStatus, processStatus, statusEveryMs, statusSubjects } from "@uag/contract/messages/status.ts";
import type { Bus } from "./bus.ts";
import { newId } from "./ids.ts";
import type { Logger } from "./log.ts";
import type { Peer } from "./rpc/access.ts";
import { version } from "./version.ts";

type StatusReport = Partial<Pick<ProcessStatus, "figures" | "upstreams" | "unserved">>;

/** What {@link announceStatus} publishes, and through what. */
export interface StatusOptions {
  readonly bus: Bus;
  readonly service: Peer;
  readonly log: Logger;
  /** What there is to say now, beside that the process lives. */
  report?(): StatusReport | Promise<StatusReport>;
}

/**
 * Tells whoever listens how this process is, every five seconds. Nobody waits for it and nothing
 * depends on it: a broker that is away, or a figure that cannot be read, costs a message. Disposing
 * says that the process leaves.
 */
export function announceStatus({ bus, service, log, report = () => ({}) }: StatusOptions): Disposable {
  const id = newId(service);
  const startedAtMs = Date.now();
  const publish = (reported: StatusReport, leaving: boolean): void => {
    const { figures = {}, upstreams = [], unserved = [] } = reported;
    const status = { id, version, started_at_ms: startedAtMs, leaving, figures, upstreams, unserved };
    if (bus.connected) bus.connection.publish(statusSubjects.of(service), processStatus.encode(status));
  };
  const announce = async (): Promise<void> => {
    try {
      publish(await report(), false);
    } catch (error) {
      log.debug({ err: error }, "the status of this process was not told");
    }
  };
  void announce();
  const timer = setInterval(() => void announce(), statusEveryMs).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      if (!bus.connection.isClosed()) publish({}, true);
    },
  };
}
