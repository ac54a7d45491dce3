/** Route and navigation entry of the company settings page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/settings",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "company", position: 3, label: "nav.settings", icon: "settings" },
} as const satisfies PageMeta;
