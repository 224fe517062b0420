import { join } from "node:path";
import { Ports } from "@uag/local/ports";
import { portName } from "@uag/local/service-processes";

/** The port that the fleet will assign to its simulator. */
export async function simulatorPort(dataDir: string): Promise<number> {
  using ports = await Ports.load(join(dataDir, "ports.json"));
  return await ports.get(portName("simulator", "PORT"));
}
