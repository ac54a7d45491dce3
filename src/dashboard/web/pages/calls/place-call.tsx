/** Place a call, now or later; also "call me" on an agent's page. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answer, rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { ProblemNote } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";

interface Draft {
  readonly to_number: string;
  readonly agent_id: string;
  readonly from_number: string;
  /** As the browser's field gives it, in local time. */
  readonly schedule_at: string;
}

const bodyOf = (draft: Draft) => ({
  to_number: draft.to_number.replace(/[\s()-]/g, ""),
  ...(draft.agent_id ? { agent_id: Number(draft.agent_id) } : {}),
  ...(draft.from_number ? { from_number: draft.from_number } : {}),
  ...(draft.schedule_at ? { schedule_at: new Date(draft.schedule_at).toISOString() } : {}),
});

export function PlaceCall(props: {
  open: boolean;
  onOpen: (open: boolean) => void;
  agentId?: number;
}) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const navigate = useNavigate();
  const stale = useStale();
  const agents = useQuery(agentsQuery);
  const numbers = useQuery(numbersQuery);
  const form = useForm<Draft>({
    to_number: "",
    agent_id: String(props.agentId ?? ""),
    from_number: "",
    schedule_at: "",
  });
  return (
    <Dialog
      title={t("calls.place")}
      lead={t("calls.place_lead")}
      open={props.open}
      onOpen={props.onOpen}
    >
      <form
        className="form"
        onSubmit={form.send(async (draft) => {
          const placed = await answer(rest.POST("/calls", { body: bodyOf(draft) }));
          await stale("calls", "schedules");
          props.onOpen(false);
          if (placed.status === "scheduled") {
            showMessage(t("calls.scheduled"));
            await navigate({ to: "/schedules" });
          } else {
            showMessage(t("calls.placed"));
            await navigate({ to: "/live" });
          }
        })}
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
          choices={[
            { value: "", label: "–" },
            ...(agents.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          {...form.bind("agent_id")}
        />
        <SelectField
          label={t("calls.place_from")}
          choices={[
            { value: "", label: t("calls.place_default") },
            ...(numbers.data ?? []).map(({ number_e164, label }) => ({
              value: number_e164,
              label: label ? `${number_e164} · ${label}` : number_e164,
            })),
          ]}
          {...form.bind("from_number")}
        />
        <TextField
          label={t("calls.place_at")}
          hint={t("calls.place_at_hint")}
          type="datetime-local"
          optional
          {...form.bind("schedule_at")}
        />
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" icon="calls" busy={form.busy}>
            {t("calls.place_now")}
          </Button>
          <CurlButton
            request={() => ({ method: "POST", path: "/calls", body: bodyOf(form.values) })}
          />
        </div>
      </form>
    </Dialog>
  );
}
