/** A new campaign from a list. */
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { answer, rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, NumberField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { ProblemNote } from "../../ui/states.tsx";

interface Draft {
  readonly name: string;
  readonly agent_id: string;
  readonly from_number: string;
  readonly csv: string;
  readonly calling_from: string;
  readonly calling_to: string;
  readonly concurrency: number | null;
  readonly attempts: number | null;
  readonly retry_after_min: number | null;
}

const bodyOf = (draft: Draft) => ({
  name: draft.name,
  agent_id: Number(draft.agent_id),
  from_number: draft.from_number || null,
  csv: draft.csv,
  calling_from: draft.calling_from,
  calling_to: draft.calling_to,
  concurrency: draft.concurrency ?? 1,
  attempts: draft.attempts ?? 2,
  retry_after_min: draft.retry_after_min ?? 120,
});

export function NewCampaign({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const chooser = useId();
  const agents = useQuery(agentsQuery);
  const numbers = useQuery(numbersQuery);
  const form = useForm<Draft>({
    name: "",
    agent_id: String(agents.data?.[0]?.id ?? ""),
    from_number: "",
    csv: "",
    calling_from: "10:00",
    calling_to: "18:00",
    concurrency: 1,
    attempts: 2,
    retry_after_min: 120,
  });
  return (
    <Dialog
      wide
      title={t("campaigns.new")}
      lead={t("campaigns.new_lead")}
      open
      onOpen={(open) => !open && onClose()}
    >
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (draft) => {
          await answer(rest.POST("/campaigns", { body: bodyOf(draft) }));
          await stale("campaigns");
          onClose();
        })}
      >
        <TextField
          label={t("campaigns.name")}
          hint={t("campaigns.name_hint")}
          required
          {...form.bind("name")}
        />
        <div className="columns">
          <SelectField
            label={t("calls.agent")}
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
              ...(numbers.data ?? []).map(({ number_e164 }) => ({
                value: number_e164,
                label: number_e164,
              })),
            ]}
            {...form.bind("from_number")}
          />
        </div>
        <div className="field">
          <label htmlFor={chooser}>{t("knowledge.choose")}</label>
          <input
            id={chooser}
            type="file"
            className="input"
            accept=".csv,.txt"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) void file.text().then((csv) => form.set({ csv }));
            }}
          />
        </div>
        <AreaField
          label="CSV"
          hint={t("campaigns.csv_hint")}
          code
          rows={4}
          placeholder={"number,time\n+37060000001,ten o'clock"}
          {...form.bind("csv")}
        />
        <div className="columns narrow">
          <TextField label={t("campaigns.calling_from")} {...form.bind("calling_from")} />
          <TextField label={t("campaigns.calling_to")} {...form.bind("calling_to")} />
          <NumberField label={t("campaigns.concurrency")} {...form.bind("concurrency")} />
          <NumberField label={t("campaigns.attempts")} {...form.bind("attempts")} />
          <NumberField label={t("campaigns.retry_after_min")} {...form.bind("retry_after_min")} />
        </div>
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("campaigns.new")}
          </Button>
          <CurlButton
            request={() => ({ method: "POST", path: "/campaigns", body: bodyOf(form.values) })}
          />
        </div>
      </form>
    </Dialog>
  );
}
