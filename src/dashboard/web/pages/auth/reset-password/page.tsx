/** Sets a new password after a mailed link. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { PasswordField } from "../../../ui/credential-fields.tsx";
import { useForm } from "../../../ui/form.ts";
import { AuthForm, AuthFrame, LoadingFrame } from "../auth-frame.tsx";
import { BadLink, useLinkToken } from "../link-state.tsx";

export function Page() {
  const { t } = useText();
  const token = useLinkToken();
  const [passkeys, setPasskeys] = useState<readonly string[] | null>(null);
  const form = useForm({ password: "" });
  const link = useQuery({
    queryKey: ["reset-link", token],
    queryFn: () => answer(own.GET("/reset-password", { headers: { "x-link-token": token } })),
    retry: false,
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (link.isLoading) return <LoadingFrame title={t("auth.forgot_title")} lines={2} />;
  if (!link.data?.link.valid) return <BadLink body={t("auth.reset_bad_body")} />;
  return (
    <AuthFrame title={t("auth.forgot_title")} lead={passkeys ? undefined : t("auth.reset_lead")}>
      {passkeys ? (
        <div className="stack">
          <p className="note good" role="status">
            {t("auth.reset_done")}
          </p>
          {passkeys.length > 0 && <p>{t("auth.reset_passkeys", { names: passkeys.join(", ") })}</p>}
          <Link to="/sign-in" className="button primary">
            {t("auth.sign_in")}
          </Link>
        </div>
      ) : (
        <AuthForm
          form={form}
          action={t("action.save")}
          onSend={async ({ password }) => {
            setPasskeys(
              (await answer(own.POST("/reset-password", { body: { token, password } }))).passkeys,
            );
          }}
        >
          <PasswordField isNew {...form.bind("password")} />
        </AuthForm>
      )}
    </AuthFrame>
  );
}
