/** Scenarios stored with an agent: list, edit, delete, or create one from a call. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, own, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { AreaField, FilterSelect } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";

type Scenario = Rest["AgentScenario"];

export const EXAMPLE =
  "name: Opening hours\nscript:\n  - say: When are you open?\n    # must: [nine to five]\n  - hang_up: true\n";

const KEPT = "scenarios";

/** Scenarios of an agent, by id; none if "". */
export const useKept = (agent: string) =>
  useQuery({
    queryKey: [KEPT, agent],
    queryFn: async () => {
      const path = { id: Number(agent) };
      return (await answer(rest.GET("/agents/{id}/scenarios", { params: { path } }))).scenarios;
    },
    enabled: agent !== "",
  });

/** The call as a scenario text; undefined until loaded. */
const useCallScenario = (uuid: string | null) =>
  useQuery({
    queryKey: ["call-scenario", uuid],
    queryFn: () =>
      answer(
        own.GET("/calls/{uuid}/scenario", {
          params: { path: { uuid: uuid ?? "" } },
          parseAs: "text",
        }),
      ),
    enabled: uuid !== null,
  }).data;

interface Keeping {
  readonly agent: string;
  readonly onAgent: (agent: string) => void;
  /** Call from which to create a scenario. */
  readonly call: string | null;
}

export function KeptScenarios({ agent, onAgent, call }: Keeping) {
  const { t } = useText();
  const { mayChange } = useSession();
  const made = useCallScenario(call);
  /**
   * Edited scenario: null if the editor is closed, undefined to use the scenario made from the
   * call.
   */
  const [written, setWritten] = useState<string | null>();
  const { data: scenarios = [] } = useKept(agent);
  const agents = useAgentChoices("–");
  const shown = written === undefined ? (made ?? null) : written;
  return (
    <Card
      title={t("rehearsals.kept")}
      note={t("rehearsals.kept_lead")}
      actions={
        <>
          <FilterSelect
            label={t("rehearsals.agent")}
            value={agent}
            choices={agents}
            onValue={onAgent}
          />
          {mayChange && agent !== "" && (
            <Button icon="plus" onClick={() => setWritten(EXAMPLE)}>
              {t("action.add")}
            </Button>
          )}
        </>
      }
      flush
    >
      {scenarios.length > 0 && <KeptList agent={agent} scenarios={scenarios} onEdit={setWritten} />}
      {written === undefined && shown !== null && (
        <div className="card-body">
          <p className="note warn">{t("rehearsals.check_call")}</p>
        </div>
      )}
      {shown !== null && agent !== "" && (
        <Editor key={shown} agent={agent} yaml={shown} onClose={() => setWritten(null)} />
      )}
    </Card>
  );
}

function KeptList(props: {
  agent: string;
  scenarios: readonly Scenario[];
  onEdit: (yaml: string) => void;
}) {
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  const stale = useStale();
  const [removed, setRemoved] = useState<Scenario | null>(null);
  return (
    <ul className="list">
      {props.scenarios.map((scenario) => (
        <li key={scenario.id}>
          <div className="grow">
            <p>{scenario.name}</p>
            <p className="muted small">{dateTime(scenario.updated_at)}</p>
          </div>
          {mayChange && (
            <p className="row">
              <Button small onClick={() => props.onEdit(scenario.yaml)}>
                {t("action.edit")}
              </Button>
              <Button small onClick={() => setRemoved(scenario)}>
                {t("action.delete")}
              </Button>
            </p>
          )}
        </li>
      ))}
      <ConfirmAbout
        about={removed}
        title={({ name }) => name}
        body={t("rehearsals.delete_body")}
        action={t("action.delete")}
        onClose={() => setRemoved(null)}
        onConfirm={async ({ id: number }) => {
          const path = { id: Number(props.agent), number };
          await answer(rest.DELETE("/agents/{id}/scenarios/{number}", { params: { path } }));
          await stale(KEPT);
        }}
      />
    </ul>
  );
}

function Editor(props: { agent: string; yaml: string; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm({ yaml: props.yaml });
  return (
    <FormDialog
      title={t("rehearsals.scenario")}
      lead={t("rehearsals.scenario_lead")}
      action={t("action.save")}
      wide
      form={form}
      onClose={props.onClose}
      onSend={async (body) => {
        const path = { id: Number(props.agent) };
        await answer(rest.POST("/agents/{id}/scenarios", { params: { path }, body }));
        await stale(KEPT);
        props.onClose();
        showMessage(t("rehearsals.kept_now"));
      }}
    >
      <AreaField label={t("rehearsals.content")} rows={18} code {...form.bind("yaml")} />
    </FormDialog>
  );
}
