/** Calls: filters live in the address, so that a view can be sent to somebody. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Rest } from "../../api/client.ts";
import { callsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { ExportAnchor } from "../../shell/confirm-session.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Badge, Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { CallFilters } from "./call-filters.tsx";
import { type CallsView, queryOf, viewOf } from "./calls-view.ts";
import { statusTone } from "./outcome.ts";
import { PlaceCall } from "./place-call.tsx";

const LIMIT = 25;
type Call = Rest["CallItem"];

export function Page() {
  const { t } = useText();
  const navigate = useNavigate();
  const view = viewOf(useSearch({ strict: false }));
  const { offset = 0, ...filters } = view;
  const calls = useQuery(callsQuery({ ...queryOf(filters), limit: LIMIT, offset }));
  const show = (next: CallsView) => void navigate({ to: "/calls", search: { ...next } });
  return (
    <Frame title={t("nav.calls")} lead={t("calls.lead")} actions={<Actions filters={filters} />}>
      <CallFilters view={view} onView={show} />
      <section className="card">
        <Loaded query={calls} lines={8}>
          {(data) =>
            data.calls.length > 0 ? (
              <>
                <CallTable calls={data.calls} view={view} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={data.calls.length}
                  total={data.total}
                  onOffset={(next) => show({ ...filters, ...(next > 0 ? { offset: next } : {}) })}
                />
              </>
            ) : Object.keys(queryOf(filters)).length > 0 ? (
              <EmptyState
                icon="search"
                title={t("calls.none_match")}
                action={<Button onClick={() => show({})}>{t("calls.clear")}</Button>}
              >
                {t("calls.none_match_body")}
              </EmptyState>
            ) : (
              <EmptyState icon="calls" title={t("calls.empty")}>
                {t("calls.empty_body")}
              </EmptyState>
            )
          }
        </Loaded>
      </section>
    </Frame>
  );
}

/** Export of what is shown, and a new call. */
function Actions({ filters }: { filters: CallsView }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const [placing, setPlacing] = useState(false);
  const csv = new URLSearchParams(
    Object.entries(queryOf(filters)).map(([key, value]) => [key, String(value)]),
  );
  return (
    <>
      <ExportAnchor icon="down" href={`/api/dashboard/calls.csv?${csv}`} download="calls.csv">
        {t("calls.csv")}
      </ExportAnchor>
      {mayChange && (
        <Button variant="primary" icon="calls" onClick={() => setPlacing(true)}>
          {t("calls.place")}
        </Button>
      )}
      {placing && <PlaceCall onClose={() => setPlacing(false)} />}
    </>
  );
}

function CallTable({ calls, view }: { calls: readonly Call[]; view: CallsView }) {
  const { t, dateTime, clock, eur } = useText();
  const agentName = useAgentName();
  const columns: Column<Call>[] = [
    {
      head: t("calls.call"),
      cell: (call) => (
        <Link
          to="/calls/$uuid"
          params={{ uuid: call.call_uuid }}
          state={{ calls: queryOf(view) }}
          className="cover row nums"
        >
          <Icon name={call.direction === "inbound" ? "inbound" : "outbound"} size={14} />
          <span className="visually-hidden">
            {t(call.direction === "inbound" ? "calls.inbound" : "calls.outbound")}
          </span>
          {(call.direction === "inbound" ? call.from_number : call.to_number) ||
            t("calls.withheld")}
        </Link>
      ),
    },
    {
      head: t("calls.status"),
      cell: (call) => <Badge tone={statusTone(call.status)}>{t(`status.${call.status}`)}</Badge>,
    },
    { head: t("calls.agent"), cell: (call) => agentName(call.agent_id) ?? "–" },
    {
      head: t("calls.when"),
      cell: (call) => <span className="nums">{dateTime(call.created_at)}</span>,
    },
    {
      head: t("calls.duration"),
      end: true,
      cell: (call) => (
        <span className="nums">
          {call.answered_at && call.ended_at
            ? clock(
                (new Date(call.ended_at).getTime() - new Date(call.answered_at).getTime()) / 1000,
              )
            : "–"}
        </span>
      ),
    },
    {
      head: t("calls.cost"),
      end: true,
      cell: (call) => <span className="nums">{eur(call.cost_eur, 4)}</span>,
    },
  ];
  return (
    <Table
      caption={t("nav.calls")}
      columns={columns}
      rows={calls}
      rowKey={(call) => call.call_uuid}
      linked
    />
  );
}
