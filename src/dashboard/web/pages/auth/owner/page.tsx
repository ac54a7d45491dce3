/** The one-time owner link: makes the operator and the first company, and signs in. */
import { useQuery } from "@tanstack/react-query";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { ProblemNote, Skeleton } from "../../../ui/states.tsx";
import { AuthFrame, useEnterAsNew } from "../auth-frame.tsx";
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

  if (link.isLoading)
    return (
      <AuthFrame title={t("auth.owner")}>
        <Skeleton />
      </AuthFrame>
    );
  if (!link.data?.link.valid) return <BadLink body={t("auth.link_bad_body")} />;
  return (
    <AuthFrame title={t("auth.owner")} lead={t("auth.owner_lead")}>
      <form
        className="form"
        onSubmit={form.send(async ({ company, ...person }) => {
          await answer(
            own.POST("/owner-link", {
              body: { token, ...person, ...(company === "" ? {} : { company }) },
            }),
          );
          await enter();
        })}
      >
        <TextField label={t("auth.name")} autoComplete="name" required {...form.bind("name")} />
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username"
          required
          {...form.bind("email")}
        />
        <TextField
          label={t("auth.password")}
          hint={t("auth.password_hint")}
          type="password"
          autoComplete="new-password"
          required
          {...form.bind("password")}
        />
        <TextField
          label={t("auth.company")}
          hint={t("auth.company_hint")}
          autoComplete="organization"
          {...form.bind("company")}
        />
        <ProblemNote problem={form.problem} />
        <Button type="submit" variant="primary" wide busy={form.busy}>
          {t("auth.create")}
        </Button>
      </form>
    </AuthFrame>
  );
}
