/** Route and navigation entry of the team and audit log page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/team",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/settings", position: 1, label: "nav.team", icon: "team" },
} as const satisfies PageMeta;
