/** Ask for a link that sets a new password. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { AuthForm, AuthFrame } from "../auth-frame.tsx";

export function Page() {
  const { t } = useText();
  const form = useForm({ email: "" });
  const [sent, setSent] = useState(false);
  return (
    <AuthFrame title={t("auth.forgot_title")} lead={t("auth.forgot_lead")}>
      <AuthForm
        form={form}
        action={t("auth.forgot_send")}
        onSend={async (values) => {
          await answer(own.POST("/forgot-password", { body: values }));
          setSent(true);
        }}
        more={
          <Link to="/sign-in" className="small">
            {t("auth.back")}
          </Link>
        }
      >
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username"
          required
          {...form.bind("email")}
        />
        {sent && (
          <p className="note good" role="status">
            {t("auth.forgot_sent")}
          </p>
        )}
      </AuthForm>
    </AuthFrame>
  );
}
