/** Carries whole batches, in order. What a link needs of a gRPC stream, and no more. */
export interface Transport {
  /** False when the peer is slow: no further batch until `onDrained`. */
  write(batch: Buffer): boolean;
  /** Sends what was written, then closes this direction. */
  end(): void;
  /** Gives the link up at once; `onClosed` follows. */
  destroy(reason: string): void;
}

/** What a transport reports to the link on top of it. */
export interface TransportEvents {
  /** The peer is there and has taken the link. */
  onReady(): void;
  onBatch(batch: Buffer): void;
  onDrained(): void;
  /** The peer sends nothing more. */
  onPeerEnd(): void;
  /** Called once, last. */
  onClosed(reason: string): void;
}

/** Opens a transport to an address (`host:port`). Failure to connect is told by `onClosed`. */
export type Dial = (address: string, events: TransportEvents) => Transport;
