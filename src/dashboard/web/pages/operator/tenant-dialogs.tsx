/** Dialogs: create a company; add to or deduct from its wallet. */
import { useQuery } from "@tanstack/react-query";
import { answer, type Own, own } from "../../api/client.ts";
import { plansQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { NumberField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";

export function NewTenant(props: {
  open: boolean;
  onClose: () => void;
  onMade: (tenant: Own["OperatorTenant"]) => void;
}) {
  const { t } = useText();
  const stale = useStale();
  const plans = useQuery(plansQuery);
  const empty = { name: "", email: "", plan: "" };
  const form = useForm(empty);
  return (
    <FormDialog
      {...props}
      title={t("operator.new_tenant")}
      action={t("operator.new_tenant")}
      form={form}
      onSend={async ({ name, email, plan }) => {
        const { tenant } = await answer(
          own.POST("/operator/tenants", { body: { name, email, ...(plan ? { plan } : {}) } }),
        );
        await stale("operator", "session");
        form.reset(empty);
        props.onClose();
        props.onMade(tenant);
      }}
    >
      <TextField label={t("auth.company")} required {...form.bind("name")} />
      <TextField label={t("settings.email")} type="email" required {...form.bind("email")} />
      <SelectField
        label={t("billing.tab.plan")}
        choices={[
          { value: "", label: "–" },
          ...(plans.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
        ]}
        {...form.bind("plan")}
      />
    </FormDialog>
  );
}

export function Credit(props: {
  tenant: Pick<Own["OperatorTenant"], "id" | "name">;
  onClose: () => void;
}) {
  const { t, eur } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const { tenant } = props;
  const form = useForm<{ eur: number | null; note: string }>({ eur: null, note: "" });
  return (
    <FormDialog
      title={t("operator.credit_title", { name: tenant.name })}
      action={t("operator.credit")}
      form={form}
      onClose={props.onClose}
      onSend={async (draft) => {
        const { balance_eur } = await answer(
          own.POST("/operator/tenants/{id}/credit", {
            params: { path: { id: tenant.id } },
            body: { eur: draft.eur ?? 0, note: draft.note },
          }),
        );
        await stale("operator", "balance", "ledger");
        showMessage(t("operator.credited", { balance: eur(balance_eur) }));
        props.onClose();
      }}
    >
      <NumberField
        label={t("billing.amount")}
        hint={t("operator.credit_hint")}
        step={0.01}
        {...form.bind("eur")}
      />
      <TextField
        label={t("operator.credit_note")}
        hint={t("operator.credit_note_hint")}
        {...form.bind("note")}
      />
    </FormDialog>
  );
}
