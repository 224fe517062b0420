import type { CapabilityContext } from "@uag/capability/context.ts";
import type { Assets } from "./assets/assets.ts";

/** What every operation of the service works with. */
export interface MediaContext extends CapabilityContext {
  readonly assets: Assets;
}
