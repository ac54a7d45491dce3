/** Authenticator code, after the password. */
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { CodeField } from "../../ui/credential-fields.tsx";
import { useForm } from "../../ui/form.ts";
import { AuthForm, AuthFrame } from "./auth-frame.tsx";

export function SecondStep({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useText();
  const form = useForm({ code: "" });
  return (
    <AuthFrame title={t("auth.totp")} lead={t("auth.totp_lead")}>
      <AuthForm
        form={form}
        action={t("action.continue")}
        onSend={async (values) => {
          await answer(own.POST("/sign-in/totp", { body: values }));
          await onDone();
        }}
      >
        <CodeField autoFocus required {...form.bind("code")} />
      </AuthForm>
    </AuthFrame>
  );
}
