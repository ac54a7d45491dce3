/** Phone numbers and who answers them. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { CheckField, FilterSelect, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded, ProblemNote } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";

type Numbered = Rest["PhoneNumber"];

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const numbers = useQuery(numbersQuery);
  const [adding, setAdding] = useState(false);
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
      {t("numbers.new")}
    </Button>
  );
  return (
    <Frame title={t("nav.numbers")} lead={t("numbers.lead")} actions={add}>
      <section className="card">
        <Loaded query={numbers}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="number" title={t("numbers.empty")} action={add}>
                {t("numbers.empty_body")}
              </EmptyState>
            ) : (
              <NumberTable rows={rows} />
            )
          }
        </Loaded>
      </section>
      <AddNumber open={adding} onOpen={setAdding} />
    </Frame>
  );
}

function useAgentChoices() {
  const { t } = useText();
  const agents = useQuery(agentsQuery);
  return [
    { value: "", label: t("numbers.no_agent") },
    ...(agents.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ];
}

function NumberTable({ rows }: { rows: readonly Numbered[] }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const choices = useAgentChoices();
  const doing = useDoing("numbers", "home");
  const [removing, setRemoving] = useState<Numbered | null>(null);
  const change = (id: number, body: { agent_id?: number | null; inbound_enabled?: boolean }) =>
    void doing.run(
      () => answer(rest.PATCH("/phone-numbers/{id}", { params: { path: { id } }, body })),
      t("form.saved"),
    );
  return (
    <>
      <Table
        caption={t("nav.numbers")}
        rows={rows}
        rowKey={(number) => number.id}
        columns={[
          {
            head: t("numbers.number"),
            cell: (number) => <span className="nums strong">{number.number_e164}</span>,
          },
          { head: t("numbers.label"), cell: (number) => number.label ?? "–" },
          {
            head: t("numbers.agent"),
            cell: (number) =>
              mayChange ? (
                <FilterSelect
                  label={`${t("numbers.agent")}: ${number.number_e164}`}
                  value={String(number.agent_id ?? "")}
                  choices={choices}
                  onValue={(value) => change(number.id, { agent_id: value ? Number(value) : null })}
                />
              ) : (
                choices.find(({ value }) => value === String(number.agent_id ?? ""))?.label
              ),
          },
          {
            head: t("numbers.inbound"),
            cell: (number) => (
              <CheckField
                label={
                  <span className="visually-hidden">
                    {t("numbers.inbound")}: {number.number_e164}
                  </span>
                }
                value={number.inbound_enabled}
                onValue={(inbound_enabled) => mayChange && change(number.id, { inbound_enabled })}
              />
            ),
          },
          {
            head: t("action.remove"),
            end: true,
            cell: (number) =>
              mayChange && (
                <IconButton
                  icon="trash"
                  label={`${t("action.remove")}: ${number.number_e164}`}
                  onClick={() => setRemoving(number)}
                />
              ),
          },
        ]}
      />
      <Confirm
        title={t("numbers.delete_title", { number: removing?.number_e164 ?? "" })}
        body={t("numbers.delete_body")}
        action={t("action.remove")}
        open={removing !== null}
        onOpen={() => setRemoving(null)}
        onConfirm={async () => {
          if (!removing) return;
          const path = { id: removing.id };
          await doing.run(() => answer(rest.DELETE("/phone-numbers/{id}", { params: { path } })));
        }}
      />
    </>
  );
}

interface Draft {
  readonly number_e164: string;
  readonly label: string;
  readonly agent_id: string;
}

const bodyOf = (draft: Draft) => ({
  number_e164: draft.number_e164.replace(/[\s()-]/g, ""),
  label: draft.label || null,
  agent_id: draft.agent_id ? Number(draft.agent_id) : null,
});

function AddNumber(props: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const choices = useAgentChoices();
  const empty: Draft = { number_e164: "", label: "", agent_id: "" };
  const form = useForm(empty);
  return (
    <Dialog title={t("numbers.new")} open={props.open} onOpen={props.onOpen}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (draft) => {
          await answer(rest.POST("/phone-numbers", { body: bodyOf(draft) }));
          await stale("numbers", "home");
          showMessage(t("numbers.added"));
          form.reset(empty);
          props.onOpen(false);
        })}
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
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("action.add")}
          </Button>
          <CurlButton
            request={() => ({ method: "POST", path: "/phone-numbers", body: bodyOf(form.values) })}
          />
        </div>
      </form>
    </Dialog>
  );
}
