/** Settings that are secrets, or URLs that may have a password. */
const secret = /KEY|SECRET|TOKEN|PASSWORD|^(DATABASE|DATABASE_READ|SMTP)_URL$/

/** A setting as an error names it: messages go into logs, and secrets must not. */
export const shownSetting = (name: string, value: string | undefined): string =>
  secret.test(name) ? name : `${name}=${JSON.stringify(value)}`
