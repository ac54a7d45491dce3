/** Route and navigation entry of the page of memories, birthday calls and the CRM bridge. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/features",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/contacts", position: 2, label: "nav.features", icon: "contacts" },
} as const satisfies PageMeta;
