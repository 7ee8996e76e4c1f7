type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/** Sends e-mail, or says where it could not. Never call it inside a transaction: it waits for the network. */
export type Mailer = (mail: Mail) => Promise<void>

export type MailSettings = { readonly smtpUrl: string; readonly from: string }

/** Longest that a mail server may keep us waiting at any step; whoever waits for the mail can ask for another. */
const timeoutMs = 15_000

/** Sends by SMTP (RFC 5321); `smtps:` for TLS from the start, otherwise STARTTLS where the server has it. */
export function smtpMailer({ smtpUrl, from }: MailSettings): Mailer {
  // Loaded with the first e-mail: most servers start and rest without.
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
    // No answer is wanted to such mail, not of a machine either (RFC 3834).
    await (await (transport ??= open())).sendMail({ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  }
}
