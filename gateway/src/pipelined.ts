import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Lets an answer whose turn on its connection has not come yet close when the connection does: node
 * tells only the first.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  socket.setMaxListeners(0);
  const onClose = (): void => {
    if (response.socket === null) response.emit("close");
  };
  socket.once("close", onClose);
  response.once("close", () => socket.off("close", onClose));
}
