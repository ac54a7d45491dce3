/** The operator's pages. */
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { NotFound } from "../../shell/route-states.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Backups } from "./backups.tsx";
import { EngineTrial } from "./engine-trial.tsx";
import { CallNotices, Health } from "./health.tsx";
import { Logs } from "./logs.tsx";
import { Mail } from "./mail.tsx";
import { Nodes } from "./nodes.tsx";
import { Payments } from "./payments.tsx";
import { Tenants } from "./tenants.tsx";

export function Page() {
  const { t } = useText();
  const { operator, version } = useSession();
  if (!operator) return <NotFound />;
  return (
    <Frame
      title={t("nav.operator")}
      lead={`${t("operator.lead")} ${t("operator.version", { version })}`}
    >
      <Tabs
        label={t("nav.operator")}
        tabs={[
          { name: "tenants", label: t("operator.tab.tenants"), content: () => <Tenants /> },
          { name: "payments", label: t("operator.tab.payments"), content: () => <Payments /> },
          {
            name: "health",
            label: t("operator.tab.health"),
            content: () => (
              <div className="stack">
                <CallNotices />
                <Health />
                <EngineTrial />
              </div>
            ),
          },
          { name: "nodes", label: t("operator.tab.nodes"), content: () => <Nodes /> },
          { name: "backups", label: t("operator.tab.backups"), content: () => <Backups /> },
          { name: "logs", label: t("operator.tab.logs"), content: () => <Logs /> },
          { name: "mail", label: t("operator.tab.mail"), content: () => <Mail /> },
        ]}
      />
    </Frame>
  );
}
