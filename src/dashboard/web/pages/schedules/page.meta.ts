/** Route and navigation entry of the scheduled calls page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/schedules",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/calls", position: 1, label: "nav.schedules", icon: "schedule" },
} as const satisfies PageMeta;
