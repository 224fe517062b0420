import type { CapabilityContext } from "@uag/pipeline/context";
import type { Assets } from "./assets/assets.ts";

/** Dependencies of every operation of the service. */
export interface MediaContext extends CapabilityContext {
  readonly assets: Assets;
}
