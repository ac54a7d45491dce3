/** Route and navigation entry of the usage and billing page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/billing",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "company", position: 1, label: "nav.billing", icon: "money" },
} as const satisfies PageMeta;
