/** The last lines of the log, filtered. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { Badge, Card, type Tone } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { type LogLevel, logsQuery } from "./operator-queries.ts";

const LIMIT = 100;
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const TONES: Readonly<Record<LogLevel, Tone>> = {
  debug: "plain",
  info: "info",
  warn: "warn",
  error: "bad",
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Filter {
  readonly level: LogLevel | "";
  /** A call's UUID, or the typed part of it. */
  readonly call: string;
}

export function Logs() {
  const { t } = useText();
  const [filter, setFilter] = useState<Filter>({ level: "", call: "" });
  const [offset, setOffset] = useState(0);
  const { level, call } = filter;
  const logs = useQuery(
    logsQuery({
      offset,
      limit: LIMIT,
      ...(level ? { level } : {}),
      ...(UUID.test(call) ? { call } : {}),
    }),
  );
  return (
    <div className="stack">
      <LogFilter
        filter={filter}
        onFilter={(next) => {
          setFilter(next);
          setOffset(0);
        }}
      />
      <Card flush>
        <Loaded query={logs} lines={8}>
          {({ lines, total }) =>
            lines.length === 0 ? (
              <EmptyState icon="terminal" title={t("operator.no_logs")}>
                {t("operator.no_logs_body")}
              </EmptyState>
            ) : (
              <>
                <LogTable lines={lines} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={lines.length}
                  total={total}
                  onOffset={setOffset}
                />
              </>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function LogFilter(props: { filter: Filter; onFilter: (filter: Filter) => void }) {
  const { t } = useText();
  const { filter, onFilter } = props;
  return (
    <div className="filters">
      <FilterSelect
        label={t("operator.log_level")}
        value={filter.level}
        choices={[
          { value: "", label: t("operator.any_level") },
          ...LEVELS.map((value) => ({ value, label: value })),
        ]}
        onValue={(level) => onFilter({ ...filter, level })}
      />
      <input
        className="input bar mono"
        size={38}
        aria-label={t("operator.log_call")}
        placeholder={t("operator.log_call")}
        value={filter.call}
        onChange={(event) => onFilter({ ...filter, call: event.target.value.trim().toLowerCase() })}
      />
    </div>
  );
}

type LogLine = QueryData<ReturnType<typeof logsQuery>>["lines"][number];

function LogTable({ lines }: { lines: readonly LogLine[] }) {
  const { t, time } = useText();
  return (
    <Table
      caption={t("operator.tab.logs")}
      rows={lines.map((line, at) => ({ ...line, at_row: at }))}
      rowKey={(line) => line.at_row}
      columns={[
        {
          head: t("calls.when"),
          card: "side",
          cell: (line) => <span className="nums nowrap">{time(line.at)}</span>,
        },
        {
          head: t("operator.log_level"),
          cell: (line) => <Badge tone={TONES[line.level]}>{line.level}</Badge>,
        },
        { head: t("call.event"), card: "title", cell: (line) => <code>{line.event}</code> },
        {
          head: t("billing.note"),
          card: "block",
          cell: (line) => (
            <code className="small soft log-fields">{JSON.stringify(line.fields)}</code>
          ),
        },
      ]}
    />
  );
}
