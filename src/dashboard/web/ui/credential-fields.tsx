/**
 * Fields for a password and for an authenticator code, with the names that password managers
 * expect.
 */
import { useText } from "../i18n/text.tsx";
import { TextField } from "./field.tsx";
import type { Bound } from "./form.ts";

/** `isNew`: the person chooses a new password, so the field shows the rules. */
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

/** Six digits, or a recovery code if `hint` says so. */
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
