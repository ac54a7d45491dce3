/** The bar of filters above the calls. */
import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import type { CallsView } from "./calls-view.ts";
import { CALL_STATUSES } from "./outcome.ts";

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
  const some = Object.values(filters).some((value) => value !== undefined);
  return (
    <div className="filters">
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
          ...CALL_STATUSES.map((status) => ({ value: status, label: t(`status.${status}`) })),
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
      <DayFilter
        label={t("calls.from_day")}
        value={view.from}
        onValue={(from) => onView({ ...filters, from })}
      />
      <DayFilter
        label={t("calls.to_day")}
        value={view.to}
        onValue={(to) => onView({ ...filters, to })}
      />
      {some && (
        <Button variant="ghost" small onClick={() => onView({})}>
          {t("calls.clear")}
        </Button>
      )}
    </div>
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
