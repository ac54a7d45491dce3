/**
 * What each page declares in its `page.meta.ts`. The build collects these files into the routes and
 * the navigation (scripts/dashboard-sources.ts), so a page needs no other entry.
 */
import type { ReactNode } from "react";
import type { MessageKey } from "./i18n/catalogue.ts";
import type { IconName } from "./ui/icon.tsx";

/**
 * Who may open a page. `public`: everybody, without the frame; `account`: signed-in people, with or
 * without a company; `tenant`: members of a company; `operator`: the operator of the appliance.
 */
export type PageRole = "public" | "account" | "tenant" | "operator";

/** The groups of the navigation in display order, with their titles. */
export const NAVIGATION_GROUPS = {
  start: null,
  calls: "nav.group.calls",
  build: "nav.group.build",
  connect: "nav.group.connect",
  company: "nav.group.company",
  appliance: "nav.group.appliance",
} as const satisfies Readonly<Record<string, MessageKey | null>>;

export interface PageMeta {
  /** Path below /app; `$name` is a parameter. */
  readonly path: `/${string}`;
  readonly role: PageRole;
  /** Loads the page's code when the page is visited. */
  readonly load: () => Promise<{ readonly Page: () => ReactNode }>;
  /** URL of the page's first data. early.ts requests it while the code is loading. */
  readonly firstData?: `/api/${string}`;
  /** The entry in the navigation. Pages without one are opened from other pages. */
  readonly navigation?: SectionHead | SectionMember;
}

/** An entry of the sidebar. */
interface SectionHead {
  readonly group: keyof typeof NAVIGATION_GROUPS;
  /** Position within the group. */
  readonly position: number;
  readonly label: MessageKey;
  readonly icon: IconName;
  /** Label of the entry if it leads to several pages. Default: `label`. */
  readonly section?: MessageKey;
}

/** A page that appears as a tab next to the head of its section, not in the sidebar. */
interface SectionMember {
  /** Path of the section's head. */
  readonly within: `/${string}`;
  /** Position among the tabs. The head comes first. */
  readonly position: number;
  readonly label: MessageKey;
  readonly icon: IconName;
}
