/** Ask for a link that sets a new password. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { ProblemNote } from "../../ui/states.tsx";
import { DoorFrame } from "./door.tsx";

export function Door() {
  const { t } = useText();
  const form = useForm({ email: "" });
  const [sent, setSent] = useState(false);
  return (
    <DoorFrame title={t("door.forgot_title")} lead={t("door.forgot_lead")}>
      <form
        className="form"
        onSubmit={form.send(async (values) => {
          await answer(own.POST("/forgot-password", { body: values }));
          setSent(true);
        })}
      >
        <TextField
          label={t("door.email")}
          type="email"
          autoComplete="username"
          required
          {...form.bind("email")}
        />
        <ProblemNote problem={form.problem} />
        {sent && (
          <p className="note good" role="status">
            {t("door.forgot_sent")}
          </p>
        )}
        <Button type="submit" look="primary" wide busy={form.busy}>
          {t("door.forgot_send")}
        </Button>
        <Link to="/sign-in" className="small">
          {t("door.back")}
        </Link>
      </form>
    </DoorFrame>
  );
}
