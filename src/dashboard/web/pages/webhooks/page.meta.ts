/** Route and navigation entry of the webhook list. */
import type { PageMeta } from "../../page-meta.ts";

export const meta = {
  path: "/webhooks",
  role: "tenant",
  load: () => import("./page.tsx"),
  navigation: {
    group: "connect",
    position: 3,
    label: "nav.webhooks",
    icon: "webhook",
    section: "nav.section.developers",
  },
} as const satisfies PageMeta;
