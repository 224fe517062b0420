import type { Peer } from "@uag/contract/access/rpc";
import { type ProcessStatus, processStatus, statusEveryMs, statusSubjects } from "@uag/contract/messages/status";
import type { Bus } from "./bus.ts";
import { newId } from "./ids.ts";
import type { Logger } from "./log.ts";
import { version } from "./version.ts";

type StatusReport = Partial<Pick<ProcessStatus, "figures" | "upstreams" | "unserved" | "catalog" | "above_hold">>;

/** What {@link announceStatus} publishes, and how. */
export interface StatusOptions {
  readonly bus: Bus;
  readonly service: Peer;
  readonly log: Logger;
  /** The current report, beyond the fact that the process is alive. */
  report?(): StatusReport | Promise<StatusReport>;
}

/**
 * Publishes this process's status every five seconds. Best effort, nothing depends on it: an
 * unavailable broker or an unreadable figure costs one message. Disposing announces that the
 * process is leaving.
 */
export function announceStatus({ bus, service, log, report = () => ({}) }: StatusOptions): Disposable {
  const id = newId(service);
  const startedAtMs = Date.now();
  const publish = (reported: StatusReport, leaving: boolean): void => {
    const { figures = {}, upstreams = [], unserved = [], catalog, above_hold = [] } = reported;
    const about = { id, version, started_at_ms: startedAtMs, leaving };
    const status = { ...about, figures, upstreams, unserved, catalog, above_hold };
    if (bus.connected) bus.connection.publish(statusSubjects.of(service), processStatus.encode(status));
  };
  const announce = async (): Promise<void> => {
    try {
      publish(await report(), false);
    } catch (error) {
      log.debug({ err: error }, "publishing this process's status failed");
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
