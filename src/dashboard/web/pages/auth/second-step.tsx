/** The code of the authenticator, after the password. */
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { ProblemNote } from "../../ui/states.tsx";
import { AuthFrame } from "./auth-frame.tsx";

export function SecondStep({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useText();
  const form = useForm({ code: "" });
  return (
    <AuthFrame title={t("auth.totp")} lead={t("auth.totp_lead")}>
      <form
        className="form"
        onSubmit={form.send(async (values) => {
          await answer(own.POST("/sign-in/totp", { body: values }));
          await onDone();
        })}
      >
        <TextField
          label={t("auth.code")}
          autoComplete="one-time-code"
          autoFocus
          required
          {...form.bind("code")}
        />
        <ProblemNote problem={form.problem} />
        <Button type="submit" variant="primary" wide busy={form.busy}>
          {t("action.continue")}
        </Button>
      </form>
    </AuthFrame>
  );
}
