import { Metadata, type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { callersOf } from "@uag/contract/access/rpc";
import { peerOf } from "./peer.ts";

type Refusal = Error & { code: status; details: string; metadata: Metadata };
type Call = Parameters<typeof peerOf>[0] & { emit(event: "error", error: Refusal): boolean };
/** A service as described by generated code, and its implementation. */
interface Guardable {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

type Handler = (call: Call, callback?: (error: Refusal) => void) => void;

function refusal(code: status, details: string): Refusal {
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}

/** Wraps a handler so that only callers in the access table reach it. */
function guardedHandler(path: string, handler: Handler, trustDomains: readonly string[]): Handler {
  const callers = callersOf(path);
  const refuse = (call: Call): Refusal | undefined => {
    const { trustDomain = "", peer } = peerOf(call) ?? {};
    if (peer === undefined || !trustDomains.includes(trustDomain))
      return refusal(status.UNAUTHENTICATED, "The certificate does not identify a service of the gateway.");
    return callers.includes(peer) ? undefined : refusal(status.PERMISSION_DENIED, `${peer} may not call ${path}.`);
  };
  return (call, callback) => {
    const refused = refuse(call);
    if (refused === undefined) handler(call, callback);
    else if (callback === undefined) call.emit("error", refused);
    else callback(refused);
  };
}

/**
 * Wraps a service so that only callers in the access table, of these trust domains, reach it; any
 * other is refused before its request is processed.
 */
export function guarded(
  { definition, implementation }: Guardable,
  trustDomains: readonly string[],
): UntypedServiceImplementation {
  const methods = Object.entries(definition as ServiceDefinition).flatMap(([name, { path }]) => {
    const handler = implementation[name] as Handler | undefined;
    return handler === undefined ? [] : [[name, guardedHandler(path, handler.bind(implementation), trustDomains)]];
  });
  return Object.fromEntries(methods);
}
