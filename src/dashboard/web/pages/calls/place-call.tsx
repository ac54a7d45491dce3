/** Places a call, now or later; also "call me" on an agent's page. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { instantOf } from "../../../../core/calendar.ts";
import { answer, rest } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import { numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { type Bound, useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices, WithOnlyAgent } from "../agents/agent-choices.ts";

interface Draft {
  readonly to_number: string;
  readonly agent_id: string;
  readonly from_number: string;
  /** Local time in the company's time zone, as the browser's field returns it. */
  readonly schedule_at: string;
}

const bodyOf = async (draft: Draft, timeZone: string) => ({
  to_number: await numberTyped(draft.to_number),
  ...(draft.agent_id ? { agent_id: Number(draft.agent_id) } : {}),
  ...(draft.from_number ? { from_number: draft.from_number } : {}),
  ...(draft.schedule_at
    ? { schedule_at: new Date(instantOf(timeZone, draft.schedule_at)).toISOString() }
    : {}),
});

interface PlaceCallProps {
  readonly onClose: () => void;
  readonly to?: string;
  readonly agentId?: number | undefined;
}

export const PlaceCall = (props: PlaceCallProps) => (
  <WithOnlyAgent>{(onlyAgent) => <PlaceCallForm {...props} onlyAgent={onlyAgent} />}</WithOnlyAgent>
);

function PlaceCallForm(props: PlaceCallProps & { readonly onlyAgent: string }) {
  const { t, timeZone } = useText();
  const { showMessage } = useToasts();
  const navigate = useNavigate();
  const stale = useStale();
  const agents = useAgentChoices("–");
  const form = useForm<Draft>({
    to_number: props.to ?? "",
    agent_id: props.agentId === undefined ? props.onlyAgent : String(props.agentId),
    from_number: "",
    schedule_at: "",
  });
  async function place(draft: Draft) {
    const placed = await answer(rest.POST("/calls", { body: await bodyOf(draft, timeZone) }));
    await stale("calls", "schedules");
    props.onClose();
    const isLater = placed.status === "scheduled";
    showMessage(t(isLater ? "calls.scheduled" : "calls.placed"));
    await navigate({ to: isLater ? "/schedules" : "/live" });
  }

  return (
    <FormDialog
      title={t("calls.place")}
      lead={t("calls.place_lead")}
      action={t("calls.place_now")}
      icon="calls"
      checkedByBrowser
      form={form}
      curl={(draft) => ({ method: "POST", path: "/calls", body: bodyOf(draft, timeZone) })}
      onClose={props.onClose}
      onSend={place}
    >
      <TextField
        label={t("calls.place_to")}
        type="tel"
        placeholder="+37060000002"
        required
        {...form.bind("to_number")}
      />
      <SelectField
        label={t("calls.agent")}
        hint={t("calls.place_agent_hint")}
        choices={agents}
        {...form.bind("agent_id")}
      />
      <ShownNumber {...form.bind("from_number")} />
      <TextField
        label={t("calls.when")}
        hint={t("calls.place_at_hint", { zone: timeZone })}
        type="datetime-local"
        optional
        {...form.bind("schedule_at")}
      />
    </FormDialog>
  );
}

/** One of the company's numbers, or the trunk's default. */
function ShownNumber(bound: Bound<string>) {
  const { t } = useText();
  const numbers = useQuery(numbersQuery);
  return (
    <SelectField
      label={t("calls.place_from")}
      choices={[
        { value: "", label: t("calls.place_default") },
        ...(numbers.data ?? []).map(({ number_e164, label }) => ({
          value: number_e164,
          label: label ? `${number_e164} · ${label}` : number_e164,
        })),
      ]}
      {...bound}
    />
  );
}
