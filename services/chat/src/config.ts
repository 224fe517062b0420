import { capabilitySettings } from "@uag/capability/settings.ts";
import { z } from "zod";

export const schema = z.object(capabilitySettings);
