import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

export const schema = z.object(capabilitySettings);
