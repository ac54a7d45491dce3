/** Route and navigation entry of the contacts page. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/contacts",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "calls", position: 4, label: "nav.contacts", icon: "contacts" },
} as const satisfies PageMeta;
