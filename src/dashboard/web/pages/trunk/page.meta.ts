/** Route and navigation entry of the trunk page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/trunk",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/numbers", position: 1, label: "nav.trunk", icon: "trunk" },
} as const satisfies PageMeta;
