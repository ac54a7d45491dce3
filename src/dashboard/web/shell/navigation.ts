/** What the navigation offers, in its groups. */
import type { MessageKey } from "../i18n/catalogue.ts";
import type { IconName } from "../ui/icon.tsx";

export interface Destination {
  readonly to: string;
  readonly label: MessageKey;
  readonly icon: IconName;
}

export interface Group {
  readonly title: MessageKey | null;
  readonly operatorOnly?: boolean;
  readonly destinations: readonly Destination[];
}

export const NAVIGATION: readonly Group[] = [
  {
    title: null,
    destinations: [{ to: "/", label: "nav.home", icon: "home" }],
  },
  {
    title: "nav.group.calls",
    destinations: [
      { to: "/live", label: "nav.live", icon: "live" },
      { to: "/calls", label: "nav.calls", icon: "calls" },
      { to: "/schedules", label: "nav.schedules", icon: "schedule" },
      { to: "/contacts", label: "nav.contacts", icon: "contacts" },
      { to: "/campaigns", label: "nav.campaigns", icon: "outbound" },
      { to: "/features", label: "nav.features", icon: "contacts" },
    ],
  },
  {
    title: "nav.group.build",
    destinations: [
      { to: "/agents", label: "nav.agents", icon: "agent" },
      { to: "/knowledge", label: "nav.knowledge", icon: "knowledge" },
      { to: "/tools", label: "nav.tools", icon: "tool" },
    ],
  },
  {
    title: "nav.group.connect",
    destinations: [
      { to: "/numbers", label: "nav.numbers", icon: "number" },
      { to: "/trunk", label: "nav.trunk", icon: "trunk" },
      { to: "/webhooks", label: "nav.webhooks", icon: "webhook" },
      { to: "/keys", label: "nav.keys", icon: "key" },
    ],
  },
  {
    title: "nav.group.company",
    destinations: [
      { to: "/billing", label: "nav.billing", icon: "money" },
      { to: "/team", label: "nav.team", icon: "team" },
      { to: "/settings", label: "nav.settings", icon: "settings" },
    ],
  },
  {
    title: "nav.group.appliance",
    operatorOnly: true,
    destinations: [{ to: "/operator", label: "nav.operator", icon: "operator" }],
  },
];
