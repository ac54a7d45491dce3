/** Ask for a link that sets a new password. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { ProblemNote } from "../../../ui/states.tsx";
import { AuthFrame } from "../auth-frame.tsx";

export function Page() {
  const { t } = useText();
  const form = useForm({ email: "" });
  const [sent, setSent] = useState(false);
  return (
    <AuthFrame title={t("auth.forgot_title")} lead={t("auth.forgot_lead")}>
      <form
        className="form"
        onSubmit={form.send(async (values) => {
          await answer(own.POST("/forgot-password", { body: values }));
          setSent(true);
        })}
      >
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username"
          required
          {...form.bind("email")}
        />
        <ProblemNote problem={form.problem} />
        {sent && (
          <p className="note good" role="status">
            {t("auth.forgot_sent")}
          </p>
        )}
        <Button type="submit" variant="primary" wide busy={form.busy}>
          {t("auth.forgot_send")}
        </Button>
        <Link to="/sign-in" className="small">
          {t("auth.back")}
        </Link>
      </form>
    </AuthFrame>
  );
}
