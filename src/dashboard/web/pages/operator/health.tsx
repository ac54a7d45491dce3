/** The doctor's checks. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { healthCheckText } from "../../i18n/problem-text.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { healthQuery, noticesQuery } from "./operator-queries.ts";

const TONES: Readonly<Record<"ok" | "warning" | "failed" | "skipped", Tone>> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  skipped: "plain",
};

export function Health() {
  const texts = useText();
  const { t } = texts;
  const health = useQuery(healthQuery);
  return (
    <Card
      title={t("operator.tab.health")}
      actions={
        <Button busy={health.isFetching} onClick={() => void health.refetch()}>
          {t("operator.check_again")}
        </Button>
      }
      flush
    >
      <Loaded query={health} lines={8}>
        {(data) => (
          <ul className="list">
            <li>
              <StatusIndicator tone={TONES[data.result]} />
              <p className="strong">{t(`operator.health_${data.result}`)}</p>
            </li>
            {data.warnings.map((warning) => (
              <li key={warning}>
                <StatusIndicator tone={TONES.warning} />
                <p className="grow" lang="en">
                  {warning}
                </p>
              </li>
            ))}
            {data.checks.map((check) => (
              <li key={check.number}>
                <StatusIndicator tone={TONES[check.result]} />
                <div className="grow">
                  <p className="row">
                    <span className="strong grow">
                      {check.number}. {healthCheckText(check.name, texts)}
                    </span>
                    <Badge tone={TONES[check.result]}>{t(`operator.check.${check.result}`)}</Badge>
                  </p>
                  <p className="soft" lang="en">
                    {check.finding}
                  </p>
                  {check.remedy && (
                    <p className="small muted" lang="en">
                      {check.remedy}
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

type Notice = Own["CallNotice"];

const namesNumber = ({ kind, subject }: Notice) =>
  kind !== "unknown_source" && subject.startsWith("+");

export function CallNotices() {
  const { t, dateTime } = useText();
  const { data } = useQuery(noticesQuery);
  const doing = useDoing("operator", "numbers");
  const [asked, setAsked] = useState<Notice | null>(null);
  if (!data || data.length === 0) return null;
  return (
    <Card title={t("operator.notices")} note={t("operator.notices_lead")} flush>
      <Table
        caption={t("operator.notices")}
        rows={data}
        rowKey={(notice) => `${notice.tenant_id} ${notice.kind} ${notice.subject}`}
        columns={[
          { head: t("auth.company"), cell: (notice) => notice.tenant_name },
          {
            head: t("operator.notice_subject"),
            cell: (notice) => <span className="nums">{notice.subject}</span>,
          },
          {
            head: t("operator.notice_what"),
            cell: (notice) => t(`operator.notice.${notice.kind}`),
          },
          { head: t("calls.when"), card: "side", cell: (notice) => dateTime(notice.last_at) },
          {
            head: t("operator.confirm_number"),
            card: "action",
            end: true,
            cell: (notice) =>
              namesNumber(notice) && (
                <Button small onClick={() => setAsked(notice)}>
                  {t("operator.confirm_number")}
                </Button>
              ),
          },
        ]}
      />
      <ConfirmAbout
        about={asked}
        title={({ subject, tenant_name }) =>
          t("operator.confirm_number_title", { number: subject, name: tenant_name })
        }
        body={t("operator.confirm_number_body")}
        action={t("operator.confirm_number")}
        onClose={() => setAsked(null)}
        onConfirm={({ tenant_id, subject }) =>
          doing.run(
            () =>
              answer(
                own.POST("/operator/numbers/confirm", {
                  body: { tenant: tenant_id, number: subject },
                }),
              ),
            t("operator.number_confirmed"),
          )
        }
      />
    </Card>
  );
}
