import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { connect, isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import type { MountReplicas } from "./mount-replicas.ts";

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * Connections to a mount's replicas. One that accepts none is being replaced: the request goes to
 * the next, of which nothing has been sent yet.
 */
export class ReplicaAgent extends Agent {
  readonly #replicas: MountReplicas;
  /** Connections to another replica than the one they were opened for. */
  readonly #elsewhere = new WeakSet<Duplex>();

  constructor(replicas: MountReplicas, options: AgentOptions) {
    super(options);
    this.#replicas = replicas;
  }

  override createConnection({ host, port }: ClientRequestArgs, connected?: Connected): undefined {
    if (connected === undefined) throw new Error("the agent must be attached before it connects");
    const name = isIPv6(host ?? "") ? `[${host}]` : host;
    this.#connect(this.#replicas.from(`http://${name}:${port}`), connected);
  }

  /** Kept, it would take the requests for its replica elsewhere when that is back. */
  override keepSocketAlive(socket: Duplex): boolean {
    return !this.#elsewhere.has(socket) && (super.keepSocketAlive(socket) as unknown as boolean);
  }

  #connect([target, ...others]: readonly string[], connected: Connected, first = target): void {
    const { hostname, port } = new URL(target ?? "");
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), noDelay: true });
    const onError = (error: Error): void => {
      this.#replicas.failed(target ?? "");
      if (others.length === 0) connected(error, socket);
      else this.#connect(others, connected, first);
    };
    socket.once("error", onError);
    socket.once("connect", () => {
      socket.removeListener("error", onError);
      if (target !== first) this.#elsewhere.add(socket);
      connected(null, socket);
    });
  }
}
