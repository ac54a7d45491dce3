/** Usage and billing. */
import { useText } from "../../i18n/text.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Plans } from "./plans.tsx";
import { Statements } from "./statements.tsx";
import { Usage } from "./usage.tsx";
import { Wallet } from "./wallet.tsx";

export function Page() {
  const { t } = useText();
  return (
    <Frame title={t("nav.billing")} lead={t("billing.lead")}>
      <Tabs
        label={t("nav.billing")}
        tabs={[
          { name: "usage", label: t("billing.tab.usage"), content: () => <Usage /> },
          { name: "wallet", label: t("billing.tab.wallet"), content: () => <Wallet /> },
          { name: "plan", label: t("billing.tab.plan"), content: () => <Plans /> },
          { name: "statements", label: t("billing.tab.statements"), content: () => <Statements /> },
        ]}
      />
    </Frame>
  );
}
