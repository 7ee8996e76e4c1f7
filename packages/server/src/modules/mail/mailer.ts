type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/**
 * Sends e-mail; rejects if the mail server does not accept it. Never call it inside a transaction: it waits for the
 * network.
 */
export type Mailer = (mail: Mail) => Promise<void>

export type MailSettings = { readonly smtpUrl: string; readonly from: string }

/** Timeout for each step of the mail server; a person who waits for the mail can request another. */
const timeoutMs = 15_000

/** Sends by SMTP (RFC 5321); `smtps:` for TLS from the start, otherwise STARTTLS where the server has it. */
export function smtpMailer({ smtpUrl, from }: MailSettings): Mailer {
  // Loaded with the first e-mail: most servers start and idle without it.
  const open = async () =>
    (await import('nodemailer')).createTransport({
      url: smtpUrl,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  let transport: ReturnType<typeof open> | undefined
  return async (mail) => {
    // Such mail wants no reply, not even an automatic one (RFC 3834).
    await (await (transport ??= open())).sendMail({ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  }
}
