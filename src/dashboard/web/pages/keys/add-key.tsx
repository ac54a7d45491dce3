/** Dialog that creates an API key: scopes, expiry, allowed addresses. */
import { useState } from "react";
import { systemClock } from "../../../../core/clock.ts";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Secret } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckGroup, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";

const SCOPES = ["read", "calls", "manage"] as const;
const LIVES_DAYS = [30, 90, 365] as const;
const DAY_MS = 86_400_000;

interface Values {
  readonly label: string;
  readonly scopes: readonly (typeof SCOPES)[number][];
  /** Lifetime in days; empty: no expiry. */
  readonly expires_at: string;
  readonly networks: string;
}

const EMPTY: Values = { label: "", scopes: SCOPES, expires_at: "", networks: "" };

function bodyOf(values: Values): Rest["NewKeyRequest"] {
  const networks = values.networks.split(/[\s,]+/).filter((network) => network !== "");
  return {
    label: values.label,
    ...(values.scopes.length === SCOPES.length ? {} : { scopes: [...values.scopes] }),
    ...(values.expires_at === ""
      ? {}
      : {
          expires_at: new Date(
            systemClock.now() + Number(values.expires_at) * DAY_MS,
          ).toISOString(),
        }),
    ...(networks.length === 0 ? {} : { networks }),
  };
}

export function AddKey({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<Values>(EMPTY);
  const lives = [
    { value: "", label: t("keys.for_ever") },
    ...LIVES_DAYS.map((days) => ({ value: String(days), label: t("keys.days", { count: days }) })),
  ];
  if (secret)
    return (
      <Dialog title={t("keys.ready")} open onOpen={onClose}>
        <Secret value={secret} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t("keys.new")}
      action={t("keys.new")}
      form={form}
      curl={(values) => ({ method: "POST", path: "/keys", body: bodyOf(values) })}
      onClose={onClose}
      onSend={async (values) => {
        const { key } = await answer(rest.POST("/keys", { body: bodyOf(values) }));
        await stale("keys");
        setSecret(key.secret);
      }}
    >
      <TextField
        label={t("numbers.label")}
        hint={t("keys.label_hint")}
        required
        {...form.bind("label")}
      />
      <CheckGroup
        label={t("keys.scopes")}
        choices={SCOPES.map((value) => ({ value, label: t(`keys.scope_says.${value}`) }))}
        {...form.bind("scopes")}
      />
      <SelectField label={t("keys.expires")} choices={lives} {...form.bind("expires_at")} />
      <TextField
        label={t("keys.networks")}
        hint={t("keys.networks_hint")}
        optional
        {...form.bind("networks")}
      />
    </FormDialog>
  );
}
