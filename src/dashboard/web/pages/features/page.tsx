/** Features that use contacts: memories of calls, birthday calls, the CRM bridge. */
import { useText } from "../../i18n/text.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Birthdays } from "./birthdays.tsx";
import { Crm } from "./crm.tsx";
import { Memories } from "./memories.tsx";

export function Page() {
  const { t } = useText();
  return (
    <Frame title={t("nav.features")} lead={t("features.lead")}>
      <Tabs
        label={t("nav.features")}
        tabs={[
          { name: "memories", label: t("features.tab.memories"), content: () => <Memories /> },
          { name: "birthdays", label: t("features.tab.birthdays"), content: () => <Birthdays /> },
          { name: "crm", label: t("features.tab.crm"), content: () => <Crm /> },
        ]}
      />
    </Frame>
  );
}
