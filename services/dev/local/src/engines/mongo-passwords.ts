import { type Peer, peers } from "@uag/contract/access/rpc";
import { z } from "zod";

const schema = z.partialRecord(z.enum(peers), z.string().min(16));

/** The passwords of MongoDB users by name, from JSON. @throws {z.ZodError} for an unknown name or a short password */
export function passwordsOf(json: string): Readonly<Partial<Record<Peer, string>>> {
  return schema.parse(JSON.parse(json));
}
