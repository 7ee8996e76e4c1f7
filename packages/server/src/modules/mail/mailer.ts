import { createTransport } from 'nodemailer'

type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/** Sends e-mail, or says where it could not. Never call it inside a transaction: it waits for the network. */
export type Mailer = (mail: Mail) => Promise<void>

export type MailSettings = { readonly smtpUrl: string; readonly from: string }

/** Longest that a mail server may keep us waiting at any step; whoever waits for the mail can ask for another. */
const timeoutMs = 15_000

/** Sends by SMTP (RFC 5321); `smtps:` for TLS from the start, otherwise STARTTLS where the server has it. */
export function smtpMailer({ smtpUrl, from }: MailSettings): Mailer {
  const transport = createTransport({ url: smtpUrl, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, disableFileAccess: true, disableUrlAccess: true })
  return async (mail) => {
    // No answer is wanted to such mail, not of a machine either (RFC 3834).
    await transport.sendMail({ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  }
}
