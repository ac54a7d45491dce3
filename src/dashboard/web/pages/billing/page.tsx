/** Usage and billing. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useText } from "../../i18n/text.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Plans } from "./plans.tsx";
import { Statements } from "./statements.tsx";
import { Usage } from "./usage.tsx";
import { Wallet } from "./wallet.tsx";

const TABS = ["usage", "wallet", "plan", "statements"] as const;

export function Page() {
  const { t } = useText();
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((name) => name === search.tab) ?? "usage";
  const content = {
    usage: () => <Usage />,
    wallet: () => <Wallet />,
    plan: () => <Plans />,
    statements: () => <Statements />,
  };
  return (
    <Frame title={t("nav.billing")} lead={t("billing.lead")}>
      <Tabs
        label={t("nav.billing")}
        value={tab}
        onValue={(next) =>
          void navigate({ to: "/billing", search: next === "usage" ? {} : { tab: next } })
        }
        tabs={TABS.map((name) => ({
          name,
          label: t(`billing.tab.${name}`),
          content: content[name],
        }))}
      />
    </Frame>
  );
}
