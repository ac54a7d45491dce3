/** Phone numbers and who answers them. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import { numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { CheckField, FilterSelect, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { ListPage } from "../../ui/list-page.tsx";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Badge } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { Table, usePhone } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices, WithOnlyAgent } from "../agents/agent-choices.ts";

type Numbered = Rest["PhoneNumber"];

export function Page() {
  const query = useQuery(numbersQuery);
  return (
    <ListPage
      name="numbers"
      icon="number"
      query={query}
      make={(close, agent) => (
        <WithOnlyAgent>
          {(onlyAgent) => <AddNumber agentId={agent ?? onlyAgent} onClose={close} />}
        </WithOnlyAgent>
      )}
      rows={(rows) => <NumberTable rows={rows} />}
    />
  );
}

function NumberTable({ rows }: { rows: readonly Numbered[] }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("numbers", "home");
  const [removing, setRemoving] = useState<Numbered | null>(null);
  return (
    <>
      <Table
        caption={t("nav.numbers")}
        rows={rows}
        rowKey={(number) => number.id}
        columns={[
          {
            head: t("numbers.number"),
            cell: (number) => (
              <>
                <div className="nums strong">{number.number_e164}</div>
                <State number={number} />
              </>
            ),
          },
          { head: t("numbers.label"), card: "line", cell: (number) => number.label ?? "–" },
          {
            head: t("numbers.agent"),
            card: "action",
            cell: (number) => <AgentOf number={number} />,
          },
          {
            head: t("numbers.inbound"),
            card: "side",
            cell: (number) => <Inbound number={number} />,
          },
          mayChange && {
            head: t("action.remove"),
            card: "action",
            end: true,
            cell: (number) => (
              <IconButton
                icon="trash"
                label={`${t("action.remove")}: ${number.number_e164}`}
                onClick={() => setRemoving(number)}
              />
            ),
          },
        ]}
      />
      <ConfirmAbout
        about={removing}
        title={({ number_e164 }) => t("numbers.delete_title", { number: number_e164 })}
        body={t("numbers.delete_body")}
        action={t("action.remove")}
        onClose={() => setRemoving(null)}
        onConfirm={({ id }) =>
          doing.run(() => answer(rest.DELETE("/phone-numbers/{id}", { params: { path: { id } } })))
        }
      />
    </>
  );
}

function useChange({ id }: Numbered) {
  const { t } = useText();
  const doing = useDoing("numbers", "home");
  return (body: { agent_id?: number | null; inbound_enabled?: boolean }) =>
    void doing.run(
      () => answer(rest.PATCH("/phone-numbers/{id}", { params: { path: { id } }, body })),
      t("form.saved"),
    );
}

function AgentOf({ number }: { number: Numbered }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const choices = useAgentChoices(t("numbers.no_agent"));
  const change = useChange(number);
  const value = String(number.agent_id ?? "");
  if (!mayChange) return choices.find((choice) => choice.value === value)?.label;
  return (
    <FilterSelect
      label={`${t("numbers.agent")}: ${number.number_e164}`}
      value={value}
      choices={choices}
      onValue={(id) => change({ agent_id: id ? Number(id) : null })}
    />
  );
}

function State({ number: { confirmed_at } }: { number: Numbered }) {
  const { t } = useText();
  return (
    <Badge tone={confirmed_at ? "good" : "plain"}>
      {t(confirmed_at ? "numbers.confirmed" : "numbers.waiting")}
    </Badge>
  );
}

function Inbound({ number }: { number: Numbered }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const isPhone = usePhone();
  const change = useChange(number);
  return (
    <CheckField
      label={
        <span className={isPhone ? undefined : "visually-hidden"}>
          {t("numbers.inbound")}
          <span className="visually-hidden">: {number.number_e164}</span>
        </span>
      }
      value={number.inbound_enabled}
      onValue={(inbound_enabled) => mayChange && change({ inbound_enabled })}
    />
  );
}

interface Draft {
  readonly number_e164: string;
  readonly label: string;
  readonly agent_id: string;
}

const bodyOf = async (draft: Draft) => ({
  number_e164: await numberTyped(draft.number_e164),
  label: draft.label || null,
  agent_id: draft.agent_id ? Number(draft.agent_id) : null,
});

function AddNumber(props: { agentId: string; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const choices = useAgentChoices(t("numbers.no_agent"));
  const form = useForm<Draft>({ number_e164: "", label: "", agent_id: props.agentId });
  return (
    <FormDialog
      onClose={props.onClose}
      title={t("numbers.new")}
      action={t("action.add")}
      form={form}
      curl={(draft) => ({ method: "POST", path: "/phone-numbers", body: bodyOf(draft) })}
      onSend={async (draft) => {
        await answer(rest.POST("/phone-numbers", { body: await bodyOf(draft) }));
        await stale("numbers", "home");
        showMessage(t("numbers.added"));
        props.onClose();
      }}
    >
      <TextField
        label={t("numbers.number")}
        hint={t("numbers.number_hint")}
        type="tel"
        placeholder="+37060000001"
        required
        {...form.bind("number_e164")}
      />
      <TextField label={t("numbers.label")} optional {...form.bind("label")} />
      <SelectField label={t("numbers.agent")} choices={choices} {...form.bind("agent_id")} />
    </FormDialog>
  );
}
