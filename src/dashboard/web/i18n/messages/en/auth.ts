/** English: signing in and what leads there. */
export const auth = {
  "auth.email": "E-mail",
  "auth.password": "Password",
  "auth.password_hint": "At least 12 characters. A few unrelated words are good.",
  "auth.name": "Your name",
  "auth.sign_in": "Sign in",
  "auth.sign_in_lead": "Calls, agents and settings of your company.",
  "auth.passkey": "Sign in with a passkey",
  "auth.passkey_failed": "The passkey was not accepted. Try again or use your password.",
  "auth.forgot": "Forgot the password?",
  "auth.setup_needed":
    "Nobody owns this appliance yet. Open the one-time link that it printed when it started, or print a new one with: linevoice setup",
  "auth.totp": "Second step",
  "auth.totp_lead":
    "Type the six digits that your authenticator shows, or one of your recovery codes.",
  "auth.code": "Code",
  "auth.owner": "Set up this appliance",
  "auth.owner_lead":
    "You become its operator and the owner of the first company. Nothing here has a default password.",
  "auth.company": "Company",
  "auth.company_hint": "Agents, numbers and calls belong to a company. You can add more later.",
  "auth.create": "Create account",
  "auth.link_bad": "This link cannot be used",
  "auth.link_bad_body":
    "It has been used, has expired, or is mistyped. Owner links live for 30 minutes; print a new one with: linevoice setup",
  "auth.reset_bad_body": "It has been used or has expired. Ask for a new one.",
  "auth.invitation": "Join {company}",
  "auth.invitation_lead": "You are invited as {role} with the address {email}.",
  "auth.invitation_account": "You have an account already: type its password.",
  "auth.invitation_bad_body":
    "It was accepted, withdrawn or has expired. Ask who invited you to send it again.",
  "auth.join": "Join",
  "auth.forgot_title": "Set a new password",
  "auth.forgot_lead": "We mail a link to your address. It works once.",
  "auth.forgot_send": "Send the link",
  "auth.forgot_sent": "If there is an account with that address, the mail is on its way.",
  "auth.reset_lead": "Choose a new password. You will be signed out everywhere.",
  "auth.reset_done": "The new password is set. Sign in with it.",
  "auth.back": "Back to sign in",
  "auth.entering": "Signing you in …",
} as const;
