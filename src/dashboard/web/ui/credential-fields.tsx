/** The fields of a password and of an authenticator's code, as browsers and password managers know them. */
import { useText } from "../i18n/text.tsx";
import { TextField } from "./field.tsx";
import type { Bound } from "./form.ts";

/** `isNew`: it is being chosen, so the rules for it are told. */
export function PasswordField(props: Bound<string> & { label?: string; isNew?: boolean }) {
  const { t } = useText();
  const { label, isNew, ...bound } = props;
  return (
    <TextField
      label={label ?? t("auth.password")}
      hint={isNew ? t("auth.password_hint") : undefined}
      type="password"
      autoComplete={isNew ? "new-password" : "current-password"}
      required
      {...bound}
    />
  );
}

/** Six digits, or a recovery code where `hint` says so. */
export function CodeField(
  props: Bound<string> & {
    hint?: string;
    inputMode?: "numeric";
    autoFocus?: boolean;
    required?: boolean;
  },
) {
  const { t } = useText();
  return <TextField label={t("auth.code")} autoComplete="one-time-code" {...props} />;
}
