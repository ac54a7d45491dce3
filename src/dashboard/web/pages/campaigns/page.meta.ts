/** Route and navigation entry of the campaign list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/campaigns",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/contacts", position: 1, label: "nav.campaigns", icon: "outbound" },
} as const satisfies PageMeta;
