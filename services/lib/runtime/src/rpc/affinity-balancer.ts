import { type ChannelOptions, experimental, connectivityState as State } from "@grpc/grpc-js";
import { hashOf, weightOf } from "../rendezvous.ts";

const { LeafLoadBalancer, QueuePicker, UnavailablePicker } = experimental;

/** The load balancing policy's name in a channel's service config. */
export const affinityPolicy = "affinity";

/** The metadata of a call by which its replica is chosen. */
export const affinityHeader = "affinity";

/**
 * The channel option that has the {@link ConnectedReplicas} of a channel. By its prefix it does not
 * keep channels from sharing connections.
 */
export const connectedReplicas = `${experimental.SUBCHANNEL_ARGS_EXCLUDE_KEY_PREFIX}.connected_replicas`;

interface Replica {
  readonly address: string;
  readonly hash: number;
  readonly picker: experimental.Picker;
}

/** The replicas that a channel has a connection to. */
export class ConnectedReplicas {
  all: readonly Replica[] = [];
  #next = 0;

  /** By rendezvous hashing; undefined when none is connected. */
  for(affinity: string): Replica | undefined {
    const key = hashOf(affinity);
    let chosen: Replica | undefined;
    let max = -1;
    for (const replica of this.all) {
      const weight = weightOf(key, replica.hash);
      if (weight > max) [chosen, max] = [replica, weight];
    }
    return chosen;
  }

  inTurn(): Replica | undefined {
    this.#next = (this.#next + 1) % Math.max(1, this.all.length);
    return this.all[this.#next];
  }
}

class AffinityConfig implements experimental.TypedLoadBalancingConfig {
  getLoadBalancerName(): string {
    return affinityPolicy;
  }

  toJsonObject(): object {
    return { [affinityPolicy]: {} };
  }

  static createFromJson(): AffinityConfig {
    return new AffinityConfig();
  }
}

/**
 * Keeps a connection to every replica, as gRPC's `round_robin` does, and sends calls with an
 * affinity to the replica it prefers and all others to each in turn. Writes of several processes to
 * the same rows then meet in one replica, which can order them, and not in the database, which
 * cannot.
 */
class AffinityBalancer implements experimental.LoadBalancer {
  readonly #channel: experimental.ChannelControlHelper;
  readonly #helper: experimental.ChannelControlHelper;
  #children: experimental.LeafLoadBalancer[] = [];
  #connected = new ConnectedReplicas();
  #state = State.IDLE;
  #paused = false;
  #lastError = "no address of the service is known";

  constructor(channel: experimental.ChannelControlHelper) {
    this.#channel = channel;
    this.#helper = experimental.createChildChannelControlHelper(channel, {
      updateState: (state, _picker, error) => {
        if (this.#state === State.READY && state !== State.READY) channel.requestReresolution();
        if (error) this.#lastError = error;
        this.#update();
      },
    });
  }

  updateAddressList(
    endpoints: experimental.StatusOr<experimental.Endpoint[]>,
    _config: experimental.TypedLoadBalancingConfig,
    options: ChannelOptions,
    note: string,
  ): boolean {
    if (!endpoints.ok) {
      this.#lastError = endpoints.error.details;
      if (this.#children.length === 0) this.#update();
      return true;
    }
    const known: unknown = options[connectedReplicas];
    if (known instanceof ConnectedReplicas) this.#connected = known;
    const before = this.#children;
    this.#paused = true;
    this.#children = endpoints.value.map((one) => new LeafLoadBalancer(one, this.#helper, options, note));
    for (const child of this.#children) child.startConnecting();
    // Only now, so that connections that remain always have a user.
    for (const child of before) child.destroy();
    this.#paused = false;
    this.#update();
    return true;
  }

  #update(): void {
    if (this.#paused) return;
    const states = this.#children.map((child) => child.getConnectivityState());
    this.#connected.all = this.#children.flatMap((child, n) => {
      if (states[n] !== State.READY) return [];
      const address = experimental.endpointToString(child.getEndpoint());
      return { address, hash: hashOf(address), picker: child.getPicker() };
    });
    if (this.#connected.all.length > 0) this.#report(State.READY, new AffinityPicker(this.#connected));
    else if (states.includes(State.CONNECTING)) this.#report(State.CONNECTING, new QueuePicker(this));
    else if (states.includes(State.IDLE)) this.#report(State.IDLE, new QueuePicker(this));
    else this.#report(State.TRANSIENT_FAILURE, new UnavailablePicker({ details: this.#lastError }));
    this.#children.forEach((child, n) => {
      if (states[n] === State.IDLE) child.exitIdle();
    });
  }

  #report(state: State, picker: experimental.Picker): void {
    this.#state = state;
    this.#channel.updateState(state, picker, state === State.TRANSIENT_FAILURE ? this.#lastError : null);
  }

  /** It always connects on its own. */
  exitIdle(): void {}

  /** Connections have their own. */
  resetBackoff(): void {}

  destroy(): void {
    for (const child of this.#children) child.destroy();
    this.#children = [];
    this.#connected.all = [];
  }

  getTypeName(): string {
    return affinityPolicy;
  }
}

class AffinityPicker implements experimental.Picker {
  readonly #connected: ConnectedReplicas;
  readonly #none: experimental.Picker;

  constructor(connected: ConnectedReplicas) {
    this.#connected = connected;
    this.#none = new UnavailablePicker();
  }

  pick(call: experimental.PickArgs): experimental.PickResult {
    const [affinity] = call.metadata.get(affinityHeader);
    const replica = affinity === undefined ? this.#connected.inTurn() : this.#connected.for(String(affinity));
    return (replica?.picker ?? this.#none).pick(call);
  }
}

experimental.registerLoadBalancerType(affinityPolicy, AffinityBalancer, AffinityConfig);
