/** Where the page of campaigns stands. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/campaigns",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "calls", position: 5, label: "nav.campaigns", icon: "outbound" },
} as const satisfies PageMeta;
