/** Carries whole batches in order: exactly what a link needs from a gRPC stream. */
export interface Transport {
  /** False when the peer is slow: write no further batch until `onDrained`. */
  write(batch: Buffer): boolean;
  /** Sends pending batches, then closes this direction. */
  end(): void;
  /** Drops the link immediately; `onClosed` follows. */
  destroy(reason: string): void;
}

/** What a transport reports to its link. */
export interface TransportEvents {
  /** The peer is connected and has accepted the link. */
  onReady(): void;
  onBatch(batch: Buffer): void;
  onDrained(): void;
  /** The peer sends no more. */
  onPeerEnd(): void;
  /** Called once, last. */
  onClosed(reason: string): void;
}

/**
 * Opens a transport to an address (`host:port`). Failure to connect is reported through `onClosed`.
 */
export type Dial = (address: string, events: TransportEvents) => Transport;
