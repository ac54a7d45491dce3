/** Where the page of the trunk stands. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/trunk",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { group: "connect", position: 2, label: "nav.trunk", icon: "trunk" },
} as const satisfies PageMeta;
