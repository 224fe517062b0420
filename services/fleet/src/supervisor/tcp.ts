import { connect } from "node:net";

/** True when something accepts connections on this port of the loopback interface. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const respond = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => respond(true));
    socket.once("error", () => respond(false));
  });
}
