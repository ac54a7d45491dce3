/** Birthday calls: time of day, agent, and the upcoming birthdays with the day of each call. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useRecordForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { Card } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { EmptyState, Loaded, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";
import { type FeatureSettings, featureSettingsQuery, useSaveFeatures } from "./feature-settings.ts";

const HOLIDAYS = ["LT", "LV", "EE"] as const;

const previewQuery = queryOptions({
  queryKey: ["birthday-preview"],
  queryFn: async () => (await answer(rest.GET("/birthday-calls/preview"))).birthday_calls,
});

export function Birthdays() {
  const { t, day } = useText();
  const settings = useQuery(featureSettingsQuery);
  const preview = useQuery(previewQuery);
  return (
    <div className="stack">
      <Loaded query={settings}>{(known) => <Hours known={known} />}</Loaded>
      <Card title={t("features.today")} note={t("features.today_lead")} flush>
        <LoadedRows
          query={preview}
          empty={<EmptyState icon="contacts" title={t("features.today_empty")} />}
        >
          {(rows) => (
            <Table
              caption={t("features.today")}
              rows={rows}
              rowKey={(person) => person.contact_id}
              columns={[
                { head: t("contacts.name"), cell: (person) => person.name || "–" },
                {
                  head: t("numbers.number"),
                  card: "side",
                  cell: (person) => <span className="nums">{person.number}</span>,
                },
                {
                  head: t("features.planned_day"),
                  cell: ({ planned_day, reason }) =>
                    planned_day === null
                      ? reason && t(`features.unplanned.${reason}`)
                      : day(planned_day),
                },
              ]}
            />
          )}
        </LoadedRows>
      </Card>
    </div>
  );
}

const draftOf = (known: FeatureSettings) => ({
  calling_from: known.calling_from,
  calling_to: known.calling_to,
  holidays: known.holidays ?? "",
  birthday_agent_id: String(known.birthday_agent_id ?? ""),
});

const bodyOf = ({ holidays, birthday_agent_id, ...hours }: ReturnType<typeof draftOf>) => ({
  ...hours,
  holidays: HOLIDAYS.find((country) => country === holidays) ?? null,
  birthday_agent_id: birthday_agent_id ? Number(birthday_agent_id) : null,
});

function Hours({ known }: { known: FeatureSettings }) {
  const { t } = useText();
  const { isOwner } = useSession();
  const save = useSaveFeatures("birthday-preview");
  const agents = useAgentChoices("–");
  const form = useRecordForm(known, featureSettingsQuery, draftOf);
  return (
    <Card title={t("features.hours")} note={t("features.hours_lead")}>
      <SendForm
        form={form}
        action={isOwner ? t("action.save") : null}
        onSend={(draft, { before, headers }) =>
          save(changesOf(bodyOf(before), bodyOf(draft)), headers)
        }
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
            choices={agents}
            {...form.bind("birthday_agent_id")}
          />
        </div>
      </SendForm>
    </Card>
  );
}
