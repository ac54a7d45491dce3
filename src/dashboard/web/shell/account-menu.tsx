/** The signed-in person and company; switch company, appearance, sign out. */
import { useNavigate } from "@tanstack/react-router";
import { useText } from "../i18n/text.tsx";
import { useEnterTenant, useLeave, useSession } from "../session.ts";
import { chooseTheme, THEMES, useTheme } from "../theme/theme.ts";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { useToasts } from "../ui/toast.tsx";

const THEME_TEXTS = { system: "theme.system", light: "theme.light", dark: "theme.dark" } as const;

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");

export function AccountMenu() {
  const { t } = useText();
  const session = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const leave = useLeave();
  const enter = useEnterTenant();
  const { showError } = useToasts();

  const companies: MenuEntry[] = session.tenants.map((tenant) => ({
    label: tenant.name,
    checked: tenant.id === session.tenant?.id,
    onChoose: () => void enter(tenant.id).catch(showError),
  }));
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="account">
          <span className="avatar" aria-hidden="true">
            {initialsOf(session.user.name)}
          </span>
          <span className="visually-hidden">{t("account.menu")}:</span>
          <span className="who">
            <span className="strong clip">{session.tenant?.name ?? "Linevoice"}</span>
            <span className="small muted clip">{session.user.name}</span>
          </span>
        </button>
      }
      entries={[
        ...(companies.length > 1 ? [t("account.companies"), ...companies, null] : []),
        {
          label: t("nav.profile"),
          icon: "key",
          onChoose: () => void navigate({ to: "/profile" }),
        },
        null,
        t("account.theme"),
        ...THEMES.map((name) => ({
          label: t(THEME_TEXTS[name]),
          checked: name === theme,
          onChoose: () => chooseTheme(name),
        })),
        null,
        { label: t("account.sign_out"), onChoose: () => void leave().catch(showError) },
      ]}
    />
  );
}
