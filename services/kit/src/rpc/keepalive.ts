/**
 * Channel options of every gRPC connection, milliseconds. A machine that is lost says no word: without asking, calls would
 * go to it until TCP gives up, a quarter of an hour later.
 */
export const keepalive = { "grpc.keepalive_time_ms": 10_000, "grpc.keepalive_timeout_ms": 5_000 };
