/** The dialogue that makes an API key: what it may do, until when, from where. */
import { useState } from "react";
import { systemClock } from "../../../../core/clock.ts";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { CurlButton, Secret } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { ProblemNote } from "../../ui/states.tsx";

const SCOPES = ["read", "calls", "manage"] as const;
const LIVES_DAYS = [30, 90, 365] as const;
const DAY_MS = 86_400_000;

interface Values {
  readonly label: string;
  readonly scopes: readonly (typeof SCOPES)[number][];
  /** Days; empty: for ever. */
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

export function AddKey(props: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useText();
  const stale = useStale();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<Values>(EMPTY);
  const close = (open: boolean) => {
    props.onOpen(open);
    if (open) return;
    setSecret(null);
    form.reset(EMPTY);
  };
  return (
    <Dialog title={t(secret ? "keys.ready" : "keys.new")} open={props.open} onOpen={close}>
      {secret ? (
        <Secret value={secret} />
      ) : (
        <form
          className="form"
          noValidate
          onSubmit={form.send(async (values) => {
            const { key } = await answer(rest.POST("/keys", { body: bodyOf(values) }));
            await stale("keys");
            setSecret(key.secret);
          })}
        >
          <TextField
            label={t("keys.label")}
            hint={t("keys.label_hint")}
            required
            {...form.bind("label")}
          />
          <Scopes {...form.bind("scopes")} />
          <SelectField
            label={t("keys.expires")}
            choices={[
              { value: "", label: t("keys.for_ever") },
              ...LIVES_DAYS.map((days) => ({
                value: String(days),
                label: t("keys.days", { count: days }),
              })),
            ]}
            {...form.bind("expires_at")}
          />
          <TextField
            label={t("keys.networks")}
            hint={t("keys.networks_hint")}
            optional
            {...form.bind("networks")}
          />
          <ProblemNote problem={form.problem} />
          <div className="form-foot">
            <Button type="submit" variant="primary" busy={form.busy}>
              {t("keys.new")}
            </Button>
            <CurlButton
              request={() => ({ method: "POST", path: "/keys", body: bodyOf(form.values) })}
            />
          </div>
        </form>
      )}
    </Dialog>
  );
}

function Scopes(props: {
  value: Values["scopes"];
  error: string | null;
  onValue: (scopes: Values["scopes"]) => void;
}) {
  const { t } = useText();
  return (
    <fieldset className="stack tight">
      <legend className="legend">{t("keys.scopes")}</legend>
      {SCOPES.map((scope) => (
        <CheckField
          key={scope}
          label={t(`keys.scope_says.${scope}`)}
          value={props.value.includes(scope)}
          onValue={(on) =>
            props.onValue(
              SCOPES.filter((each) => (each === scope ? on : props.value.includes(each))),
            )
          }
        />
      ))}
      {props.error && (
        <p className="error-text" role="alert">
          {props.error}
        </p>
      )}
    </fieldset>
  );
}
