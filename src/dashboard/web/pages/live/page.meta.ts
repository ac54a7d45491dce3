/** Route and navigation entry of the live calls page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/live",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "calls", position: 1, label: "nav.live", icon: "live" },
} as const satisfies PageMeta;
