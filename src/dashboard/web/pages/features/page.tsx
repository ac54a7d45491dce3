/** What rests on contacts: what is remembered of calls, birthday calls, the CRM bridge. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useText } from "../../i18n/text.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Birthdays } from "./birthdays.tsx";
import { Crm } from "./crm.tsx";
import { Memories } from "./memories.tsx";

const TABS = ["memories", "birthdays", "crm"] as const;

export function Page() {
  const { t } = useText();
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((name) => name === search.tab) ?? "memories";
  const content = {
    memories: () => <Memories />,
    birthdays: () => <Birthdays />,
    crm: () => <Crm />,
  };
  return (
    <Frame title={t("nav.features")} lead={t("features.lead")}>
      <Tabs
        label={t("nav.features")}
        value={tab}
        onValue={(next) =>
          void navigate({ to: "/features", search: next === "memories" ? {} : { tab: next } })
        }
        tabs={TABS.map((name) => ({
          name,
          label: t(`features.tab.${name}`),
          content: content[name],
        }))}
      />
    </Frame>
  );
}
