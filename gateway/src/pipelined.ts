import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Closes a response whose turn on its connection has not come yet together with the connection:
 * node notifies only the first.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  socket.setMaxListeners(0);
  const onClose = (): void => {
    if (response.socket === null) response.emit("close");
  };
  socket.once("close", onClose);
  response.once("close", () => socket.off("close", onClose));
}
