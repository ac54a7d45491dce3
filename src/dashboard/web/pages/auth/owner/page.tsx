/** The one-time owner link: creates the operator and the first company, and signs in. */
import { useQuery } from "@tanstack/react-query";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { PasswordField } from "../../../ui/credential-fields.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { AuthForm, AuthFrame, LoadingFrame, useEnterAsNew } from "../auth-frame.tsx";
import { BadLink, useLinkToken } from "../link-state.tsx";

export function Page() {
  const { t } = useText();
  const token = useLinkToken();
  const enter = useEnterAsNew();
  const link = useQuery({
    queryKey: ["owner-link", token],
    queryFn: () => answer(own.GET("/owner-link", { headers: { "x-link-token": token } })),
    retry: false,
    enabled: token !== "",
  });
  const form = useForm({ name: "", email: "", password: "", company: "" });

  if (link.isLoading) return <LoadingFrame title={t("auth.owner")} />;
  if (!link.data?.link.valid) return <BadLink body={t("auth.link_bad_body")} />;
  return (
    <AuthFrame title={t("auth.owner")} lead={t("auth.owner_lead")}>
      <AuthForm
        form={form}
        action={t("auth.create")}
        onSend={async ({ company, ...person }) => {
          await answer(
            own.POST("/owner-link", {
              body: { token, ...person, ...(company === "" ? {} : { company }) },
            }),
          );
          await enter();
        }}
      >
        <TextField label={t("auth.name")} autoComplete="name" required {...form.bind("name")} />
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username"
          required
          {...form.bind("email")}
        />
        <PasswordField isNew {...form.bind("password")} />
        <TextField
          label={t("auth.company")}
          hint={t("auth.company_hint")}
          autoComplete="organization"
          {...form.bind("company")}
        />
      </AuthForm>
    </AuthFrame>
  );
}
