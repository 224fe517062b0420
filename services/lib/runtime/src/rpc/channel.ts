import { affinityPolicy } from "./affinity-balancer.ts";

/**
 * Channel options of every connection between our own processes. Keepalive pings detect a lost
 * machine, which sends nothing: calls would otherwise go to it until TCP gives up after a quarter
 * of an hour. A proxy from the environment is meant for external calls: it cannot reach our
 * addresses and must not see internal traffic. Certificates are not checked by hostname; TLS
 * insists on sending one, which may not be an address, so it is the same everywhere.
 */
export const internalChannel = {
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.enable_http_proxy": 0,
  "grpc.ssl_target_name_override": "gateway",
};

/** Likewise, to all replicas of a service: those that `replicasOf` names. */
export const balancedChannel = {
  ...internalChannel,
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ [affinityPolicy]: {} }] }),
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
};
