import { Metadata, type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { callersOf } from "./access.ts";
import { peerOf } from "./peer.ts";

type Refusal = Error & { code: status; details: string; metadata: Metadata };
type Call = Parameters<typeof peerOf>[0] & { emit(event: "error", error: Refusal): boolean };
/** A service as generated code describes it, and what serves it. */
interface Guardable {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

type Handler = (call: Call, callback?: (error: Refusal) => void) => void;

function refusal(code: status, details: string): Refusal {
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}

/** A handler that is only reached by those whom the table of access names. */
function guardedHandler(path: string, handler: Handler): Handler {
  const callers = callersOf(path);
  const refuse = (call: Call): Refusal | undefined => {
    const peer = peerOf(call);
    if (peer === undefined) return refusal(status.UNAUTHENTICATED, "The certificate names none of our services.");
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
 * The same service for those whom the table of access names; everybody else is refused before
 * anything is read.
 */
export function guarded({ definition, implementation }: Guardable): UntypedServiceImplementation {
  const methods = Object.entries(definition as ServiceDefinition).flatMap(([name, { path }]) => {
    const handler = implementation[name] as Handler | undefined;
    return handler === undefined ? [] : [[name, guardedHandler(path, handler.bind(implementation))]];
  });
  return Object.fromEntries(methods);
}
