/** Route and navigation entry of the rehearsals page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/rehearsals",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/agents", position: 2, label: "nav.rehearsals", icon: "agent" },
} as const satisfies PageMeta;
