/** Route and navigation entry of the API key list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/keys",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: { within: "/webhooks", position: 1, label: "nav.keys", icon: "key" },
} as const satisfies PageMeta;
