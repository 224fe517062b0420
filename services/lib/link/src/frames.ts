/** The frame that opens an exchange. */
export interface OpenFrame {
  readonly operation: string;
  readonly requestId: string;
  readonly target: string;
  /** Alternating name and value, names in lower case. */
  readonly headers: readonly string[];
  readonly context: Buffer;
  readonly deadlineMs: number;
  readonly bodyless: boolean;
}

/** Receives the frames of a batch one by one, in order. A method that throws ends the batch. */
export interface FrameSink {
  onOpen(exchange: number, open: OpenFrame): void;
  onBody(exchange: number, bytes: Buffer): void;
  onEnd(exchange: number): void;
  onHead(exchange: number, status: number, headers: string[]): void;
  onChunk(exchange: number, bytes: Buffer): void;
  onTrailer(exchange: number, errorCode: string): void;
  onCancel(exchange: number, reason: string, refused: boolean): void;
  onCredit(exchange: number, bytes: number): void;
  onDrain(exchange: number): void;
}
