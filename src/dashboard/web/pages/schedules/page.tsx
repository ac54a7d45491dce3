/** Scheduled calls: future calls, and the results of past ones. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { type ScheduleStatus, schedulesQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Page as Frame, type Tone } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { PlaceCall } from "../calls/place-call.tsx";

type Schedule = Rest["Schedule"];
const LIMIT = 50;
const STATUSES: readonly ScheduleStatus[] = ["pending", "fired", "cancelled", "missed", "failed"];
const TONES: Readonly<Record<ScheduleStatus, Tone>> = {
  pending: "info",
  fired: "good",
  cancelled: "plain",
  missed: "warn",
  failed: "bad",
};

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const search: { status?: unknown; offset?: unknown } = useSearch({ strict: false });
  const status = STATUSES.find((one) => one === search.status);
  const offset = typeof search.offset === "number" ? Math.max(0, search.offset) : 0;
  const schedules = useQuery(schedulesQuery(status, offset, LIMIT));
  const [placing, setPlacing] = useState(false);
  const show = (next: { status?: ScheduleStatus; offset?: number }) =>
    void navigate({ to: "/schedules", search: next });
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setPlacing(true)}>
      {t("calls.place")}
    </Button>
  );
  return (
    <Frame title={t("nav.schedules")} lead={t("schedules.lead")} actions={add}>
      <div className="filters">
        <FilterSelect
          label={t("calls.status")}
          value={status ?? ""}
          choices={[
            { value: "", label: t("schedules.any") },
            ...STATUSES.map((value) => ({ value, label: t(`schedules.status.${value}`) })),
          ]}
          onValue={(value) => show(value === "" ? {} : { status: value })}
        />
      </div>
      <section className="card">
        <Loaded query={schedules}>
          {(rows) =>
            rows.length === 0 && offset === 0 ? (
              <EmptyState icon="schedule" title={t("schedules.empty")} action={add}>
                {t("schedules.empty_body")}
              </EmptyState>
            ) : (
              <>
                <ScheduleTable rows={rows} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={rows.length}
                  onOffset={(next) => show({ status, ...(next > 0 ? { offset: next } : {}) })}
                />
              </>
            )
          }
        </Loaded>
      </section>
      {placing && <PlaceCall onClose={() => setPlacing(false)} />}
    </Frame>
  );
}

function ScheduleTable({ rows }: { rows: readonly Schedule[] }) {
  const { t } = useText();
  const doing = useDoing("schedules");
  const [cancelling, setCancelling] = useState<Schedule | null>(null);
  const columns = useColumns(setCancelling);
  return (
    <>
      <Table
        caption={t("nav.schedules")}
        rows={rows}
        rowKey={(entry) => entry.id}
        columns={columns}
      />
      <ConfirmAbout
        about={cancelling}
        title={() => t("schedules.cancel_title")}
        body={t("schedules.cancel_body")}
        action={t("schedules.cancel_call")}
        cancel={t("schedules.keep")}
        onClose={() => setCancelling(null)}
        onConfirm={({ id }) =>
          doing.run(
            () => answer(rest.DELETE("/schedules/{id}", { params: { path: { id } } })),
            t("schedules.cancelled"),
          )
        }
      />
    </>
  );
}

function useColumns(onCancel: (entry: Schedule) => void): (Column<Schedule> | false)[] {
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  const agentName = useAgentName();
  return [
    {
      head: t("schedules.to"),
      cell: (entry) => (
        <Link to="/calls/$uuid" params={{ uuid: entry.call_uuid }} className="nums strong nowrap">
          {entry.to_number}
        </Link>
      ),
    },
    {
      head: t("schedules.due"),
      card: "side",
      cell: (entry) => <span className="nums">{dateTime(entry.schedule_at)}</span>,
    },
    {
      head: t("calls.agent"),
      cell: (entry) => agentName(entry.agent_id) ?? t("schedules.no_agent"),
    },
    {
      head: t("calls.place_from"),
      card: "none",
      cell: (entry) => <span className="nums">{entry.from_number}</span>,
    },
    {
      head: t("calls.status"),
      cell: (entry) => (
        <span className="row">
          <Badge tone={TONES[entry.status]}>{t(`schedules.status.${entry.status}`)}</Badge>
          {entry.reason && <code className="muted">{entry.reason}</code>}
        </span>
      ),
    },
    mayChange && {
      head: t("schedules.cancel"),
      card: "action",
      end: true,
      cell: (entry) =>
        entry.status === "pending" && (
          <Button small onClick={() => onCancel(entry)}>
            {t("schedules.cancel")}
          </Button>
        ),
    },
  ];
}
