/** Route and navigation entry of the knowledge file list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/knowledge",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "build", position: 2, label: "nav.knowledge", icon: "knowledge" },
} as const satisfies PageMeta;
