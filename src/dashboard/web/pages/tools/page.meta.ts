/** Route and navigation entry of the tool list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/tools",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "build", position: 3, label: "nav.tools", icon: "tool" },
} as const satisfies PageMeta;
