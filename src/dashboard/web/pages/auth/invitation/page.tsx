/** Accepts an invitation: a new person chooses a name and password, an existing one confirms. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { PasswordField } from "../../../ui/credential-fields.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { AuthForm, AuthFrame, LoadingFrame, useEnter, useEnterAsNew } from "../auth-frame.tsx";
import { BadLink, useLinkToken } from "../link-state.tsx";
import { SecondStep } from "../second-step.tsx";

const ROLE_TEXTS = { owner: "role.owner", member: "role.member", viewer: "role.viewer" } as const;

export function Page() {
  const { t, language } = useText();
  const token = useLinkToken();
  const enter = useEnter();
  const [step, setStep] = useState<"form" | "totp">("form");
  const asked = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => answer(own.GET("/invitation", { headers: { "x-link-token": token } })),
    retry: false,
    enabled: token !== "",
  });
  const invitation = asked.data?.invitation;

  /**
   * The first request only checked the password. After the second factor, accept the invitation
   * again.
   */
  async function joinSignedIn() {
    await answer(own.POST("/invitation", { body: { token } }));
    await enter();
  }

  if (step === "totp") return <SecondStep onDone={joinSignedIn} />;
  if (asked.isLoading) return <LoadingFrame title="Linevoice" />;
  if (!invitation) return <BadLink body={t("auth.invitation_bad_body")} />;
  return (
    <AuthFrame
      title={t("auth.invitation", { company: invitation.tenant_name })}
      lead={t("auth.invitation_lead", {
        role: t(ROLE_TEXTS[invitation.role]).toLocaleLowerCase(language),
        email: invitation.email,
      })}
    >
      <Join token={token} hasAccount={invitation.has_account} onTotp={() => setStep("totp")} />
    </AuthFrame>
  );
}

function Join(props: { token: string; hasAccount: boolean; onTotp: () => void }) {
  const { t } = useText();
  const { token, hasAccount } = props;
  const enter = useEnter();
  const enterAsNew = useEnterAsNew();
  const form = useForm({ name: "", password: "" });
  return (
    <AuthForm
      form={form}
      action={t("auth.join")}
      onSend={async ({ name, password }) => {
        const { next } = await answer(
          own.POST("/invitation", {
            body: { token, password, ...(hasAccount ? {} : { name }) },
          }),
        );
        if (next === "totp") props.onTotp();
        else if (hasAccount) await enter();
        else await enterAsNew();
      }}
    >
      {hasAccount ? (
        <p className="note">{t("auth.invitation_account")}</p>
      ) : (
        <TextField label={t("auth.name")} autoComplete="name" required {...form.bind("name")} />
      )}
      <PasswordField isNew={!hasAccount} {...form.bind("password")} />
    </AuthForm>
  );
}
