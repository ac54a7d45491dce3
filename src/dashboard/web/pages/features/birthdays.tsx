/** When people are called, by whom on their birthday, and who would be called today. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, type Rest, rest } from "../../api/client.ts";
import { agentsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { EmptyState, Loaded, ProblemNote } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { featureSettingsQuery } from "./settings-query.ts";

const HOLIDAYS = ["LT", "LV", "EE"] as const;

const previewQuery = queryOptions({
  queryKey: ["birthday-preview"],
  queryFn: async () => (await answer(rest.GET("/birthday-calls/preview"))).birthday_calls,
});

export function Birthdays() {
  const { t } = useText();
  const settings = useQuery(featureSettingsQuery);
  const preview = useQuery(previewQuery);
  return (
    <div className="stack">
      <Loaded query={settings}>{(known) => <Hours known={known} />}</Loaded>
      <Card title={t("features.today")} note={t("features.today_lead")} flush>
        <Loaded query={preview}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="contacts" title={t("features.today_empty")}>
                {t("features.today_lead")}
              </EmptyState>
            ) : (
              <Table
                caption={t("features.today")}
                rows={rows}
                rowKey={(person) => person.contact_id}
                columns={[
                  { head: t("contacts.name"), cell: (person) => person.name || "–" },
                  {
                    head: t("numbers.number"),
                    cell: (person) => <span className="nums">{person.number}</span>,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

function Hours({ known }: { known: Rest["FeatureSettings"] }) {
  const { t } = useText();
  const { isOwner } = useSession();
  const { showMessage } = useToasts();
  const stale = useStale();
  const agents = useQuery(agentsQuery);
  const form = useForm({
    calling_from: known.calling_from,
    calling_to: known.calling_to,
    holidays: known.holidays ?? "",
    birthday_agent_id: String(known.birthday_agent_id ?? ""),
  });
  return (
    <Card title={t("features.hours")} note={t("features.hours_lead")}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (values) => {
          await answer(
            rest.PATCH("/feature-settings", {
              body: {
                calling_from: values.calling_from,
                calling_to: values.calling_to,
                holidays: HOLIDAYS.find((country) => country === values.holidays) ?? null,
                birthday_agent_id: values.birthday_agent_id
                  ? Number(values.birthday_agent_id)
                  : null,
              },
            }),
          );
          await stale("feature-settings", "birthday-preview");
          showMessage(t("form.saved"));
        })}
      >
        <div className="columns">
          <TextField
            label={t("features.from")}
            placeholder="10:00"
            {...form.bind("calling_from")}
          />
          <TextField label={t("features.to")} placeholder="18:00" {...form.bind("calling_to")} />
          <SelectField
            label={t("features.holidays")}
            choices={[
              { value: "", label: "–" },
              ...HOLIDAYS.map((country) => ({ value: country, label: country })),
            ]}
            {...form.bind("holidays")}
          />
          <SelectField
            label={t("features.birthday_agent")}
            choices={[
              { value: "", label: "–" },
              ...(agents.data ?? []).map((agent) => ({
                value: String(agent.id),
                label: agent.name,
              })),
            ]}
            {...form.bind("birthday_agent_id")}
          />
        </div>
        <ProblemNote problem={form.problem} />
        {isOwner && (
          <div className="form-foot">
            <Button type="submit" variant="primary" busy={form.busy}>
              {t("action.save")}
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
