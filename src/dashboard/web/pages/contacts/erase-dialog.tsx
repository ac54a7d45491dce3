/** GDPR erasure dialog: shows what will be deleted, then asks for confirmation. */
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import { useText } from "../../i18n/text.tsx";
import { TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";

const look = (number: string) =>
  answer(rest.GET("/erasures", { params: { query: { number } } })).then(({ erasure }) => erasure);
type Erasure = Awaited<ReturnType<typeof look>>;

export function EraseDialog({ number, onClose }: { number: string; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm({ number });
  const [found, setFound] = useState<Erasure | null>(null);

  /** The first submission is a dry run. */
  async function send(values: { number: string }) {
    const body = { number: await numberTyped(values.number) };
    if (!found) {
      setFound(await look(body.number));
      return;
    }
    await answer(rest.POST("/erasures", { body }));
    await stale("contacts", "calls", "call", "schedules", "home");
    showMessage(t("contacts.erased"));
    onClose();
  }

  return (
    <FormDialog
      title={t("contacts.erase")}
      lead={t("contacts.erase_lead")}
      action={t(found ? "contacts.erase_all" : "contacts.look")}
      variant={found ? "danger" : "primary"}
      form={form}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label={t("numbers.number")}
        placeholder="+370…"
        required
        {...form.bind("number")}
        onValue={(next) => {
          setFound(null);
          form.set({ number: next });
        }}
      />
      {found && <Found erasure={found} />}
    </FormDialog>
  );
}

function Found({ erasure }: { erasure: Erasure }) {
  const { t } = useText();
  return (
    <div className="note warn" role="status">
      <div className="stack tight">
        <p className="strong">
          {t("contacts.erase_found", {
            calls: erasure.calls,
            recordings: erasure.recordings,
            contacts: erasure.contacts,
            planned: erasure.schedules_cancelled,
          })}
        </p>
        <p>{t("contacts.erase_stays")}</p>
      </div>
    </div>
  );
}
