import { connect } from "node:net";

/** True if a program accepts connections on this port, of the loopback interface by default. */
export function acceptsConnections(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const respond = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => respond(true));
    socket.once("error", () => respond(false));
  });
}
