/** Where the page of the knowledge files stands. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/knowledge",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "build", position: 2, label: "nav.knowledge", icon: "knowledge" },
} as const satisfies PageMeta;
