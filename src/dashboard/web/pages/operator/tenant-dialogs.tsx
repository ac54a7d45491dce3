/** Make a company; give or take wallet balance. */
import { useQuery } from "@tanstack/react-query";
import { answer, type Own, own } from "../../api/client.ts";
import { plansQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { NumberField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { ProblemNote } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";

export function NewTenant(props: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useText();
  const stale = useStale();
  const plans = useQuery(plansQuery);
  const empty = { name: "", email: "", plan: "" };
  const form = useForm(empty);
  return (
    <Dialog title={t("operator.new_tenant")} open={props.open} onOpen={props.onOpen}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async ({ name, email, plan }) => {
          await answer(
            own.POST("/operator/tenants", { body: { name, email, ...(plan ? { plan } : {}) } }),
          );
          await stale("operator", "session");
          form.reset(empty);
          props.onOpen(false);
        })}
      >
        <TextField label={t("operator.tenant")} required {...form.bind("name")} />
        <TextField label={t("operator.email")} type="email" required {...form.bind("email")} />
        <SelectField
          label={t("operator.plan")}
          choices={[
            { value: "", label: "–" },
            ...(plans.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
          ]}
          {...form.bind("plan")}
        />
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("operator.new_tenant")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function Credit({
  tenant,
  onClose,
}: {
  tenant: Own["OperatorTenant"];
  onClose: () => void;
}) {
  const { t, eur } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm<{ eur: number | null; note: string }>({ eur: null, note: "" });
  return (
    <Dialog
      title={t("operator.credit_title", { name: tenant.name })}
      open
      onOpen={(open) => !open && onClose()}
    >
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (draft) => {
          const { balance_eur } = await answer(
            own.POST("/operator/tenants/{id}/credit", {
              params: { path: { id: tenant.id } },
              body: { eur: draft.eur ?? 0, note: draft.note },
            }),
          );
          await stale("operator", "balance", "ledger");
          showMessage(t("operator.credited", { balance: eur(balance_eur) }));
          onClose();
        })}
      >
        <NumberField
          label={t("operator.credit_amount")}
          hint={t("operator.credit_hint")}
          step={0.01}
          {...form.bind("eur")}
        />
        <TextField
          label={t("operator.credit_note")}
          hint={t("operator.credit_note_hint")}
          {...form.bind("note")}
        />
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("operator.credit")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
