/**
 * Channel options of every connection between our own processes. A machine that is lost says no
 * word: without pings calls would go to it until TCP gives up, a quarter of an hour later. And a
 * proxy named in the environment is for the world outside: it cannot reach our addresses, and must
 * not see what we say to each other. Certificates are not checked by host name; the one that TLS
 * insists on sending is the same everywhere, as an address must not be one.
 */
export const internalChannel = {
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.enable_http_proxy": 0,
  "grpc.ssl_target_name_override": "gateway",
};
