/** Memories of outbound calls: read, correct and delete them. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { AreaField, SwitchField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { EmptyState, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";

type Memory = Rest["CallMemory"];

const memoriesQuery = queryOptions({
  queryKey: ["memories"],
  queryFn: async () => (await answer(rest.GET("/call-memories"))).call_memories,
});

export function Memories() {
  const { t } = useText();
  const memories = useQuery(memoriesQuery);
  const doing = useDoing("memories");
  const [editing, setEditing] = useState<Memory | null>(null);
  const [removing, setRemoving] = useState<Memory | null>(null);
  return (
    <Card title={t("features.tab.memories")} note={t("features.memories_lead")} flush>
      <LoadedRows
        query={memories}
        empty={<EmptyState icon="contacts" title={t("features.memories_empty")} />}
      >
        {(rows) => <MemoryTable rows={rows} onEdit={setEditing} onRemove={setRemoving} />}
      </LoadedRows>
      {editing && <MemoryDialog memory={editing} onClose={() => setEditing(null)} />}
      <ConfirmAbout
        about={removing}
        title={() => t("features.forget_title")}
        body={t("features.forget_body")}
        action={t("action.delete")}
        onClose={() => setRemoving(null)}
        onConfirm={({ id }) =>
          doing.run(() => answer(rest.DELETE("/call-memories/{id}", { params: { path: { id } } })))
        }
      />
    </Card>
  );
}

function MemoryTable(props: {
  rows: readonly Memory[];
  onEdit: (memory: Memory) => void;
  onRemove: (memory: Memory) => void;
}) {
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  return (
    <Table
      caption={t("features.tab.memories")}
      rows={props.rows}
      rowKey={(memory) => memory.id}
      columns={[
        { head: t("calls.when"), card: "side", cell: (memory) => dateTime(memory.attempted_at) },
        {
          head: t("numbers.number"),
          card: "title",
          cell: (memory) => <span className="nums">{memory.number_e164}</span>,
        },
        {
          head: t("features.reason"),
          cell: (memory) => (
            <>
              {memory.reason}{" "}
              {memory.sensitive && <Badge tone="warn">{t("features.sensitive")}</Badge>}
            </>
          ),
        },
        { head: t("features.outcome"), cell: (memory) => memory.outcome },
        { head: t("features.promise"), cell: (memory) => memory.promise || "–" },
        mayChange && {
          head: t("table.actions"),
          card: "action",
          end: true,
          cell: (memory) => (
            <span className="row">
              <Button small onClick={() => props.onEdit(memory)}>
                {t("action.edit")}
              </Button>
              <IconButton
                icon="trash"
                label={`${t("action.delete")}: ${memory.number_e164}`}
                onClick={() => props.onRemove(memory)}
              />
            </span>
          ),
        },
      ]}
    />
  );
}

function MemoryDialog({ memory, onClose }: { memory: Memory; onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const { reason, outcome, promise, sensitive } = memory;
  const form = useForm({ reason, outcome, promise, sensitive });
  return (
    <FormDialog
      title={memory.number_e164}
      action={t("action.save")}
      form={form}
      onClose={onClose}
      onSend={async (draft, { before }) => {
        const path = { id: memory.id };
        const body = changesOf(before, draft);
        await answer(rest.PATCH("/call-memories/{id}", { params: { path }, body }));
        await stale("memories");
        onClose();
      }}
    >
      <AreaField label={t("features.reason")} {...form.bind("reason")} />
      <AreaField label={t("features.outcome")} {...form.bind("outcome")} />
      <AreaField label={t("features.promise")} optional {...form.bind("promise")} />
      <SwitchField
        label={t("features.sensitive")}
        hint={t("features.sensitive_hint")}
        {...form.bind("sensitive")}
      />
    </FormDialog>
  );
}
