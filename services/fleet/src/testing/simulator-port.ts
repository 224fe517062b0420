import { join } from "node:path";
import { Ports } from "../ports.ts";
import { portName } from "../service-processes.ts";

/** The port that the fleet will assign to its simulator. */
export async function simulatorPort(dataDir: string): Promise<number> {
  using ports = await Ports.load(join(dataDir, "ports.json"));
  return await ports.get(portName("simulator", "PORT"));
}
