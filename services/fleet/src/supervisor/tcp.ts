import { connect } from "node:net";

/** True when something accepts connections on this port of the loopback interface. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const answer = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
