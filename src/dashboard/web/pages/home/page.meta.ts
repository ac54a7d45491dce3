/** Route and navigation entry of the home page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/",
  role: "tenant",
  load: () => import("./page.tsx"),
  firstData: "/api/dashboard/home",
  navigation: { group: "start", position: 1, label: "nav.home", icon: "home" },
} as const satisfies PageMeta;
