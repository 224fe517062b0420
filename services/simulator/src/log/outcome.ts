/**
 * How an attempt ended. `completed`: the whole answer, an error answer too, went to the socket.
 * `cut`: a fault ended it early. `disconnected`: the client left first. `lost`: the simulator was
 * killed while it ran.
 */
export type Outcome = "completed" | "cut" | "disconnected" | "lost";
