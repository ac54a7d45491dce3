/** Accept an invitation: a new person chooses name and password, an existing one confirms. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { ProblemNote, Skeleton } from "../../../ui/states.tsx";
import { AuthFrame, useEnter, useEnterAsNew } from "../auth-frame.tsx";
import { BadLink, useLinkToken } from "../link-state.tsx";
import { SecondStep } from "../second-step.tsx";

const ROLE_TEXTS = { owner: "role.owner", member: "role.member", viewer: "role.viewer" } as const;

export function Page() {
  const { t } = useText();
  const token = useLinkToken();
  const enter = useEnter();
  const enterAsNew = useEnterAsNew();
  const [step, setStep] = useState<"form" | "totp">("form");
  const asked = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => answer(own.GET("/invitation", { headers: { "x-link-token": token } })),
    retry: false,
    enabled: token !== "",
  });
  const form = useForm({ name: "", password: "" });
  const invitation = asked.data?.invitation;

  /** The password alone has joined nothing: signed in now, the invitation is accepted again. */
  async function joinSignedIn() {
    await answer(own.POST("/invitation", { body: { token } }));
    await enter();
  }

  if (step === "totp") return <SecondStep onDone={joinSignedIn} />;
  if (asked.isLoading)
    return (
      <AuthFrame title="Linevoice">
        <Skeleton />
      </AuthFrame>
    );
  if (!invitation) return <BadLink body={t("auth.invitation_bad_body")} />;
  return (
    <AuthFrame
      title={t("auth.invitation", { company: invitation.tenant_name })}
      lead={t("auth.invitation_lead", {
        role: t(ROLE_TEXTS[invitation.role]),
        email: invitation.email,
      })}
    >
      <form
        className="form"
        onSubmit={form.send(async ({ name, password }) => {
          const { next } = await answer(
            own.POST("/invitation", {
              body: { token, password, ...(invitation.has_account ? {} : { name }) },
            }),
          );
          if (next === "totp") setStep("totp");
          else if (invitation.has_account) await enter();
          else await enterAsNew();
        })}
      >
        {invitation.has_account ? (
          <p className="note">{t("auth.invitation_account")}</p>
        ) : (
          <TextField label={t("auth.name")} autoComplete="name" required {...form.bind("name")} />
        )}
        <TextField
          label={t("auth.password")}
          hint={invitation.has_account ? undefined : t("auth.password_hint")}
          type="password"
          autoComplete={invitation.has_account ? "current-password" : "new-password"}
          required
          {...form.bind("password")}
        />
        <ProblemNote problem={form.problem} />
        <Button type="submit" variant="primary" wide busy={form.busy}>
          {t("auth.join")}
        </Button>
      </form>
    </AuthFrame>
  );
}
