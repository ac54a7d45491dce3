/** The person's account: name, language, password, second factor, passkeys, sessions. */
import { useQuery } from "@tanstack/react-query";
import { answer, own } from "../../api/client.ts";
import { sessionsQuery } from "../../api/queries.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../../i18n/language.ts";
import { useChooseLanguage, useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordField } from "../../ui/credential-fields.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Badge, Card, Page as Frame } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { deviceName } from "./device-name.ts";
import { Passkeys } from "./passkeys.tsx";
import { SecondFactor } from "./second-factor.tsx";

export function Page() {
  const { t } = useText();
  const { second_factor_needed } = useSession();
  return (
    <Frame forms title={t("nav.profile")} lead={t("profile.lead")}>
      {second_factor_needed && <p className="note warn">{t("profile.second_factor_needed")}</p>}
      <You />
      <Password />
      <SecondFactor />
      <Passkeys />
      <Sessions />
    </Frame>
  );
}

function You() {
  const { t } = useText();
  const { user } = useSession();
  const stale = useStale();
  const { showMessage } = useToasts();
  const choose = useChooseLanguage();
  const form = useForm({ name: user.name, locale: user.locale });
  return (
    <Card title={t("profile.you")} note={user.email}>
      <SendForm
        form={form}
        action={t("action.save")}
        disabled={!form.dirty}
        onSend={async (draft, { before }) => {
          await answer(own.POST("/profile", { body: changesOf(before, draft) }));
          await stale("session");
          await choose(draft.locale);
          showMessage(t("form.saved"));
        }}
      >
        <div className="columns">
          <TextField label={t("auth.name")} autoComplete="name" {...form.bind("name")} />
          <SelectField
            label={t("language.label")}
            choices={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
            {...form.bind("locale")}
          />
        </div>
      </SendForm>
    </Card>
  );
}

function Password() {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm({ current: "", password: "" }, { unguarded: true });
  return (
    <Card title={t("auth.password")} note={t("profile.password_lead")}>
      <SendForm
        form={form}
        action={t("profile.change")}
        variant="secondary"
        onSend={async (body) => {
          await answer(own.POST("/password", { body }));
          form.reset({ current: "", password: "" });
          await stale("sessions");
          showMessage(t("profile.changed"));
        }}
      >
        <div className="columns">
          <PasswordField label={t("profile.current")} {...form.bind("current")} />
          <PasswordField isNew label={t("profile.new")} {...form.bind("password")} />
        </div>
      </SendForm>
    </Card>
  );
}

function Sessions() {
  const { t, dateTime } = useText();
  const sessions = useQuery(sessionsQuery);
  const doing = useDoing("sessions");
  return (
    <Card title={t("profile.sessions")} flush>
      <Loaded query={sessions}>
        {(rows) => (
          <ul className="list">
            {rows.map((session) => (
              <li key={session.id}>
                <div className="grow">
                  <p className="strong">
                    {session.ip}{" "}
                    {session.current && <Badge tone="good">{t("profile.this_session")}</Badge>}
                  </p>
                  <p className="small soft clip" title={session.user_agent}>
                    {deviceName(session.user_agent)}
                  </p>
                  <p className="small muted">
                    {t("team.last_seen")}: {dateTime(session.last_seen_at)} ·{" "}
                    {t(`profile.method.${session.method}`)}
                  </p>
                </div>
                {!session.current && (
                  <Button
                    small
                    onClick={() =>
                      void doing.run(
                        () =>
                          answer(
                            own.DELETE("/sessions/{id}", { params: { path: { id: session.id } } }),
                          ),
                        t("profile.ended"),
                      )
                    }
                  >
                    {t("profile.end")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
