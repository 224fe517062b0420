import { type Icon, IconKey } from "@tabler/icons-react";
import type { Role } from "../session/session.ts";

/** A page in the navigation, and who finds it there. */
interface Entry {
  readonly to: "/keys";
  readonly name: "keys";
  readonly icon: Icon;
  readonly roles?: readonly Role[];
}

interface Section {
  readonly name: "use" | "manage" | "operate";
  readonly entries: readonly Entry[];
}

export const navigation: readonly Section[] = [
  { name: "use", entries: [{ to: "/keys", name: "keys", icon: IconKey }] },
];
