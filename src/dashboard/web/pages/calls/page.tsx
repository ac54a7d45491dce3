/** Calls. The filters are part of the URL, so that a view can be shared as a link. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { callsQuery, type QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { ExportAnchor } from "../../shell/confirm-session.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { type Column, Pager, Table, usePhone } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { TagLabels } from "./annotations.tsx";
import { CallFilters } from "./call-filters.tsx";
import { CallPanel, useCallKeys } from "./call-panel.tsx";
import { type CallsView, queryOf, viewOf } from "./calls-view.ts";
import {
  callerOf,
  endedText,
  type FoundCall,
  isLive,
  isMissed,
  numberOf,
  Outcome,
} from "./outcome.tsx";
import { PlaceCall } from "./place-call.tsx";
import { SavedViews } from "./saved-views.tsx";

const LIMIT = 25;
/** Maximum number of calls that the server exports by id. */
const MARKED_MAX = 200;

export function Page() {
  const { t } = useText();
  const navigate = useNavigate();
  const view = viewOf(useSearch({ strict: false }));
  const { offset = 0, ...filters } = view;
  const calls = useQuery(callsQuery({ ...queryOf(filters), limit: LIMIT, offset }));
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const show = (next: CallsView) => void navigate({ to: "/calls", search: { ...next } });
  return (
    <Frame title={t("nav.calls")} lead={t("calls.lead")} actions={<Actions filters={filters} />}>
      <CallFilters view={view} onView={show} />
      <SavedViews view={view} onView={show} />
      <Loaded query={calls} lines={8}>
        {(data) =>
          data.calls.length > 0 ? (
            <CallList
              found={data}
              view={view}
              marked={marked}
              onMarked={setMarked}
              onOffset={(next) => show({ ...filters, ...(next > 0 ? { offset: next } : {}) })}
            />
          ) : (
            <section className="card">
              {Object.keys(queryOf(filters)).length > 0 ? (
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
              )}
            </section>
          )
        }
      </Loaded>
    </Frame>
  );
}

/** The table, and the panel of the selected call. Live calls come first. */
function CallList(props: {
  found: QueryData<ReturnType<typeof callsQuery>>;
  view: CallsView;
  marked: ReadonlySet<string>;
  onMarked: (marked: ReadonlySet<string>) => void;
  onOffset: (offset: number) => void;
}) {
  const { found, view, marked, onMarked } = props;
  const { offset = 0 } = view;
  const [chosen, setChosen] = useState<string | null>(null);
  const calls = useMemo(
    () => found.calls.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))),
    [found.calls],
  );
  useCallKeys(calls, chosen, setChosen);
  const shown = calls.find(({ call_uuid }) => call_uuid === chosen);
  return (
    <div className={shown ? "calls with-panel" : "calls"}>
      <section className="card">
        {marked.size > 0 && <Marked marked={marked} onNone={() => onMarked(new Set())} />}
        <CallTable
          calls={calls}
          view={view}
          chosen={chosen}
          marked={marked}
          onMarked={onMarked}
          onChoose={setChosen}
        />
        <Pager
          offset={offset}
          limit={LIMIT}
          shown={found.total === null ? calls.length : Math.min(LIMIT, found.total - offset)}
          total={found.total ?? offset + calls.length + Number(found.more)}
          counted={found.total !== null}
          onOffset={props.onOffset}
        />
      </section>
      {shown && <CallPanel call={shown} view={queryOf(view)} onClose={() => setChosen(null)} />}
    </div>
  );
}

/** Actions for the marked calls, which may be on other pages of the list. */
function Marked({ marked, onNone }: { marked: ReadonlySet<string>; onNone: () => void }) {
  const { t, count } = useText();
  return (
    <div className="marked row" role="status">
      <span className="strong grow">{count("calls.chosen", marked.size)}</span>
      <ExportAnchor
        small
        icon="down"
        href={`/api/dashboard/calls.csv?call_uuids=${[...marked].join(",")}`}
        download="calls.csv"
      >
        {t("calls.export_chosen")}
      </ExportAnchor>
      <Button small variant="ghost" onClick={onNone}>
        {t("calls.choose_none")}
      </Button>
    </div>
  );
}

/** Buttons: export the filtered calls, place a call. */
function Actions({ filters }: { filters: CallsView }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const search: { place?: unknown } = useSearch({ strict: false });
  const [placing, setPlacing] = useState(false);
  const isAsked = search.place === true;
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
      {(placing || isAsked) && (
        <PlaceCall
          onClose={() => {
            setPlacing(false);
            if (isAsked) void navigate({ to: "/calls", search: { ...filters }, replace: true });
          }}
        />
      )}
    </>
  );
}

interface TableShown {
  readonly view: CallsView;
  readonly chosen: string | null;
  readonly onChoose: (uuid: string | null) => void;
  readonly marked: ReadonlySet<string>;
  readonly onMarked: (marked: ReadonlySet<string>) => void;
}

function useColumns(shown: TableShown): Column<FoundCall>[] {
  const { t, dateTime, talkTime, eur, ms } = useText();
  const agentName = useAgentName();
  const isPhone = usePhone();
  return [
    { head: t("calls.call"), cell: (call) => <Who call={call} view={shown.view} /> },
    {
      head: t("calls.about"),
      cell: (call) => (
        <>
          {isPhone && <Outcome call={call} />}
          <span className="clamp about">
            {call.said ?? call.summary ?? (isMissed(call) && t(endedText(call)))}
          </span>
          <TagLabels tags={call.tags} />
        </>
      ),
    },
    {
      head: t("calls.agent"),
      card: "none",
      cell: (call) => <span className="clamp">{agentName(call.agent_id) ?? "–"}</span>,
    },
    {
      head: t("calls.when"),
      card: "side",
      cell: (call) => (
        <span className="nums nowrap">{dateTime(call.planned_at ?? call.created_at)}</span>
      ),
    },
    {
      head: t("calls.duration"),
      card: "none",
      end: true,
      cell: (call) => <span className="nums">{talkTime(call.duration_ms)}</span>,
    },
    {
      head: t("calls.latency"),
      card: "none",
      end: true,
      cell: (call) => <span className="nums nowrap">{ms(call.latency_p95_ms)}</span>,
    },
    {
      head: t("calls.cost"),
      card: "none",
      end: true,
      cell: (call) => <span className="nums">{eur(call.cost_eur)}</span>,
    },
    {
      head: t("table.actions"),
      card: "action",
      end: true,
      cell: (call) => <RowTools call={call} shown={shown} />,
    },
  ];
}

/** Controls of one row: open the call in the panel, mark it. */
function RowTools({ call, shown }: { call: FoundCall; shown: TableShown }) {
  const { t } = useText();
  const isChosen = shown.chosen === call.call_uuid;
  return (
    <span className="row firm end">
      <Mark call={call} shown={shown} />
      <span className="beside-only">
        <IconButton
          icon="next"
          label={t("calls.beside", { name: callerOf(call) ?? t("calls.withheld") })}
          aria-pressed={isChosen}
          onClick={() => shown.onChoose(isChosen ? null : call.call_uuid)}
        />
      </span>
    </span>
  );
}

function Mark({ call, shown: { marked, onMarked } }: { call: FoundCall; shown: TableShown }) {
  const { t } = useText();
  const isMarked = marked.has(call.call_uuid);
  return (
    <label className="mark-box">
      <input
        type="checkbox"
        aria-label={`${t("calls.choose")}: ${callerOf(call) ?? t("calls.withheld")}`}
        checked={isMarked}
        disabled={!isMarked && marked.size >= MARKED_MAX}
        onChange={() => {
          const next = new Set(marked);
          if (!next.delete(call.call_uuid)) next.add(call.call_uuid);
          onMarked(next);
        }}
      />
    </label>
  );
}

function CallTable(props: TableShown & { calls: readonly FoundCall[] }) {
  const { t } = useText();
  const columns = useColumns(props);
  return (
    <Table
      caption={t("nav.calls")}
      columns={columns}
      rows={props.calls}
      rowKey={(call) => call.call_uuid}
      chosen={props.chosen}
      linked
    />
  );
}

/** Name, number and outcome. A phone shows the name only, because its rows have two lines. */
function Who({ call, view }: { call: FoundCall; view: CallsView }) {
  const { t } = useText();
  const isPhone = usePhone();
  return (
    <span className="who-cell">
      <Link
        to="/calls/$uuid"
        params={{ uuid: call.call_uuid }}
        state={{ calls: queryOf(view) }}
        className="cover row firm nums"
      >
        <Icon name={call.direction === "inbound" ? "inbound" : "outbound"} size={14} />
        <span className="visually-hidden">
          {t(call.direction === "inbound" ? "calls.inbound" : "calls.outbound")}
        </span>
        {callerOf(call) ?? t("calls.withheld")}
      </Link>
      {!isPhone && (
        <>
          {call.contact_name !== null && <span className="small muted nums">{numberOf(call)}</span>}
          <Outcome call={call} />
        </>
      )}
    </span>
  );
}
