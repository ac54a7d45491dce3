/** The operator's pages. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { NotFound } from "../../shell/route-states.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Backups } from "./backups.tsx";
import { CallNotices } from "./call-notices.tsx";
import { EngineTrial } from "./engine-trial.tsx";
import { Health } from "./health.tsx";
import { Logs } from "./logs.tsx";
import { Mail } from "./mail.tsx";
import { Payments } from "./payments.tsx";
import { Tenants } from "./tenants.tsx";

const TABS = ["tenants", "payments", "health", "backups", "logs", "mail"] as const;

export function Page() {
  const { t } = useText();
  const { operator, version } = useSession();
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((name) => name === search.tab) ?? "tenants";
  const content = {
    tenants: () => <Tenants />,
    payments: () => <Payments />,
    health: () => (
      <div className="stack">
        <CallNotices />
        <Health />
        <EngineTrial />
      </div>
    ),
    backups: () => <Backups />,
    logs: () => <Logs />,
    mail: () => <Mail />,
  };
  if (!operator) return <NotFound />;
  return (
    <Frame
      title={t("nav.operator")}
      lead={`${t("operator.lead")} ${t("operator.version", { version })}`}
    >
      <Tabs
        label={t("nav.operator")}
        value={tab}
        onValue={(next) =>
          void navigate({ to: "/operator", search: next === "tenants" ? {} : { tab: next } })
        }
        tabs={TABS.map((name) => ({
          name,
          label: t(`operator.tab.${name}`),
          content: content[name],
        }))}
      />
    </Frame>
  );
}
