import { commonSettings } from "@uag/runtime/config";
import { z } from "zod";

/** The settings of the toolbox's own process; its commands read `targetSettings`. */
export const schema = z.object(commonSettings);
