/** The filter bar above the calls. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { systemClock, type Timer } from "../../../../core/clock.ts";
import { agentsQuery, callTagsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { type CallsView, LISTED_STATUSES, WORDS_MAX } from "./calls-view.ts";

const SEARCH_AFTER_MS = 300;

export function CallFilters({
  view,
  onView,
}: {
  view: CallsView;
  onView: (view: CallsView) => void;
}) {
  const { t } = useText();
  const agents = useQuery(agentsQuery);
  const { offset: _, ...filters } = view;
  return (
    <div className="filters">
      <Search
        key={view.words === undefined ? "none" : "some"}
        words={view.words ?? ""}
        onWords={(words) => onView({ ...filters, words: words || undefined })}
      />
      <FilterSelect
        label={t("calls.direction")}
        value={view.direction ?? ""}
        choices={[
          { value: "", label: t("calls.any_direction") },
          { value: "inbound", label: t("calls.inbound") },
          { value: "outbound", label: t("calls.outbound") },
        ]}
        onValue={(value) => onView({ ...filters, direction: value === "" ? undefined : value })}
      />
      <FilterSelect
        label={t("calls.status")}
        value={view.status ?? ""}
        choices={[
          { value: "", label: t("calls.any_status") },
          ...LISTED_STATUSES.map((status) => ({ value: status, label: t(`status.${status}`) })),
        ]}
        onValue={(value) => onView({ ...filters, status: value === "" ? undefined : value })}
      />
      <FilterSelect
        label={t("calls.agent")}
        value={String(view.agent_id ?? "")}
        choices={[
          { value: "", label: t("calls.any_agent") },
          ...(agents.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onValue={(value) => onView({ ...filters, agent_id: value ? Number(value) : undefined })}
      />
      <TagFilter view={filters} onView={onView} />
      <Days view={filters} onView={onView} />
    </div>
  );
}

/** Hidden if the company has no tags. */
function TagFilter({ view, onView }: { view: CallsView; onView: (view: CallsView) => void }) {
  const { t } = useText();
  const { data = [] } = useQuery(callTagsQuery);
  const tags = new Set([...data.map(({ tag }) => tag), ...(view.tag ? [view.tag] : [])]);
  if (tags.size === 0) return null;
  return (
    <FilterSelect
      label={t("calls.tag")}
      value={view.tag ?? ""}
      choices={[
        { value: "", label: t("calls.any_tag") },
        ...[...tags].map((tag) => ({ value: tag, label: tag })),
      ]}
      onValue={(tag) => onView({ ...view, tag: tag || undefined })}
    />
  );
}

/** Searches while the person types, after a short pause. */
function Search({ words, onWords }: { words: string; onWords: (words: string) => void }) {
  const { t } = useText();
  const [typed, setTyped] = useState(words);
  const asked = useRef<Timer | null>(null);
  useEffect(() => () => asked.current?.cancel(), []);
  return (
    <input
      type="search"
      className="input bar search"
      aria-label={t("calls.search")}
      placeholder={t("calls.search")}
      maxLength={WORDS_MAX}
      value={typed}
      onChange={({ target: { value } }) => {
        setTyped(value);
        asked.current?.cancel();
        asked.current = systemClock.after(SEARCH_AFTER_MS, () => onWords(value.trim()));
      }}
    />
  );
}

function Days({ view, onView }: { view: CallsView; onView: (view: CallsView) => void }) {
  const { t } = useText();
  return (
    <span className="row firm">
      <DayFilter
        label={t("calls.from_day")}
        value={view.from}
        onValue={(from) => onView({ ...view, from })}
      />
      <DayFilter
        label={t("calls.to_day")}
        value={view.to}
        onValue={(to) => onView({ ...view, to })}
      />
    </span>
  );
}

function DayFilter(props: {
  label: string;
  value: string | undefined;
  onValue: (day: string | undefined) => void;
}) {
  return (
    <label className="row firm tight">
      <span className="small muted nowrap">{props.label}</span>
      <input
        type="date"
        className="input bar"
        value={props.value ?? ""}
        onChange={(event) => props.onValue(event.target.value || undefined)}
      />
    </label>
  );
}
