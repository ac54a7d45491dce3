/** Where the page of memories, birthday calls and the CRM bridge stands. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/features",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "calls", position: 6, label: "nav.features", icon: "contacts" },
} as const satisfies PageMeta;
