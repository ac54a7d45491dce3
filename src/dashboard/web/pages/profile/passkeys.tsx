/** Passkeys: add, remove. */
import { browserSupportsWebAuthn, startRegistration } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { passkeysQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useNow } from "../../live/now.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { LoadedRows } from "../../ui/states.tsx";

type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
const MINUTE_MS = 60_000;

export function Passkeys() {
  const { t } = useText();
  const passkeys = useQuery(passkeysQuery);
  const doing = useDoing("passkeys", "session");
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Own["Passkey"] | null>(null);
  return (
    <Card
      title={t("profile.passkeys")}
      note={t("profile.passkeys_lead")}
      actions={
        browserSupportsWebAuthn() && (
          <Button onClick={() => setAdding(true)}>{t("profile.passkey_add")}</Button>
        )
      }
      flush
    >
      <LoadedRows
        query={passkeys}
        empty={<p className="card-body soft">{t("profile.no_passkeys")}</p>}
      >
        {(rows) => <PasskeyList rows={rows} onRemove={setRemoving} />}
      </LoadedRows>
      <AddPasskey open={adding} onClose={() => setAdding(false)} />
      <ConfirmAbout
        about={removing}
        title={({ name }) => t("profile.passkey_remove", { name })}
        body={t("profile.passkey_remove_body")}
        action={t("action.remove")}
        onClose={() => setRemoving(null)}
        onConfirm={({ id }) =>
          doing.run(() => answer(own.DELETE("/passkeys/{id}", { params: { path: { id } } })))
        }
      />
    </Card>
  );
}

function PasskeyList(props: {
  rows: readonly Own["Passkey"][];
  onRemove: (passkey: Own["Passkey"]) => void;
}) {
  const { t, ago } = useText();
  const now = useNow(MINUTE_MS);
  return (
    <ul className="list">
      {props.rows.map((passkey) => (
        <li key={passkey.id}>
          <div className="grow">
            <p className="strong">{passkey.name}</p>
            <p className="small muted">
              {passkey.last_used_at
                ? t("profile.last_used", { when: ago(passkey.last_used_at, now) })
                : t("profile.never_used")}
            </p>
          </div>
          <IconButton
            icon="trash"
            label={`${t("action.remove")}: ${passkey.name}`}
            onClick={() => props.onRemove(passkey)}
          />
        </li>
      ))}
    </ul>
  );
}

function AddPasskey(props: { open: boolean; onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const form = useForm({ name: "" }, { unguarded: true });

  async function register(name: string) {
    const { options } = await answer(own.POST("/passkeys/options"));
    const made = await startRegistration({ optionsJSON: options as unknown as Options }).catch(
      (thrown: unknown) => {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new ApiProblem(400, {
          message: t("profile.passkey_failed", { why }),
          error: "passkey",
        });
      },
    );
    const response = JSON.parse(JSON.stringify(made));
    await answer(own.POST("/passkeys", { body: { name, response } }));
  }

  return (
    <FormDialog
      {...props}
      title={t("profile.passkey_add")}
      lead={t("profile.passkeys_lead")}
      action={t("action.add")}
      form={form}
      onSend={async ({ name }) => {
        await register(name);
        await stale("passkeys", "session");
        form.reset({ name: "" });
        props.onClose();
      }}
    >
      <TextField
        label={t("form.name")}
        hint={t("profile.passkey_name_hint")}
        {...form.bind("name")}
      />
    </FormDialog>
  );
}
