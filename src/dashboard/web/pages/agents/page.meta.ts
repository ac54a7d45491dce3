/** Route and navigation entry of the agent list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/agents",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "build", position: 1, label: "nav.agents", icon: "agent" },
} as const satisfies PageMeta;
