/** Route and navigation entry of the call list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/calls",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "calls", position: 2, label: "nav.calls", icon: "calls" },
} as const satisfies PageMeta;
