/** Route and navigation entry of the operator page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/operator",
  role: "operator",
  load: () => import("./page.tsx"),
  navigation: { group: "appliance", position: 1, label: "nav.operator", icon: "operator" },
} as const satisfies PageMeta;
