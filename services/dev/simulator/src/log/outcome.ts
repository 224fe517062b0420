/**
 * How an attempt ended. `completed`: the whole response, possibly an error, was written to the
 * socket. `cut`: a fault ended it early. `disconnected`: the client disconnected first. `lost`: the
 * simulator was killed meanwhile.
 */
export type Outcome = "completed" | "cut" | "disconnected" | "lost";
