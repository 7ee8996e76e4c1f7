import type { Readable } from 'node:stream'
import { isString, memberOf } from '../../lib/guards.ts'
import { Places } from '../../lib/places.ts'
import { plainHeader } from './plain-header.ts'
import { Pieces } from './pieces.ts'

type Mail = {
  readonly to: string | readonly string[]
  /** The one of them to whom this copy goes; by default it goes to all. */
  readonly recipient?: string
  readonly subject: string
  readonly text: string
  readonly html?: string | undefined
  /** A letter with the same Message-ID as another is a repetition of it; by default one of its own. */
  readonly messageId?: string
  /** The text that a Message-ID in the domain of the sender is made of, if `messageId` is absent. */
  readonly key?: string
  /** Where its recipient gets no more of them, with one click (RFC 8058). */
  readonly unsubscribeUrl?: string
  /** Where it is answered to, and where it comes back to, if that is not the sender. */
  readonly replyTo?: string
  /** A person may answer it; without this it says that no reply is wanted, not even an automatic one (RFC 3834). */
  readonly wantsReplies?: true
  readonly files?: readonly MailFile[]
}

/** A file that goes with an e-mail. */
type MailFile = {
  readonly name: string
  readonly mimeType: string | null
  readonly open: () => Promise<Readable>
}

type Sent = {
  readonly messageId: string
  /** Recipients that the mail server has refused, where it has accepted others. */
  readonly rejected: readonly string[]
}

/**
 * Sends e-mail; rejects with a `MailFailure` if the mail server does not accept it. Never call it inside a transaction:
 * it waits for the network.
 */
export type Mailer = (mail: Mail) => Promise<Sent>

type MailSettings = {
  readonly smtpUrl: string
  readonly from: string
  readonly dkim?: DkimSettings | undefined
}

/** With what letters are signed, so that their domain vouches for them (RFC 6376). */
type DkimSettings = { readonly domain: string; readonly selector: string; readonly privateKey: string }

/** The headers to sign: the usual ones, and those that RFC 8058 requires. */
const signedHeaders =
  'from:sender:reply-to:subject:date:message-id:to:cc:mime-version:content-type:content-transfer-encoding:' +
  'in-reply-to:references:list-unsubscribe:list-unsubscribe-post'

/** Parts of the conversation in which an answer is about the letter, and not about who may send at all. */
const ofLetter: ReadonlySet<unknown> = new Set(['MAIL FROM', 'RCPT TO', 'DATA', undefined])

/** Answers that ask for a password, or another one, in whatever part (RFC 4954 §6). */
const ofLogin: ReadonlySet<unknown> = new Set([530, 534, 535, 538])

/** Error codes of the library for letters that no mail server accepts. */
const ofForm: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE'])

/** Error codes of the library for mail servers that cannot be reached or used. */
const ofServer: ReadonlySet<unknown> = new Set([
  'EAUTH',
  'ECONNECTION',
  'EDNS',
  'EPROTOCOL',
  'ESOCKET',
  'ETIMEDOUT',
  'ETLS',
])

/** E-mail that was not accepted. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  /** The mail server has refused it for good (RFC 5321 §4.2.1); otherwise it may take it later. */
  readonly isPermanent: boolean
  /** The mail server takes it later, or nothing now: it is busy, away, or wants another password. */
  readonly isDeferred: boolean
  /** It may have been accepted all the same: the conversation broke off before its end. */
  readonly isInDoubt: boolean
  /** There is no such recipient (RFC 3463: 5.1.x). */
  readonly isUnknownRecipient: boolean
  /** It is about one recipient, and another may be taken. */
  readonly isOfRecipient: boolean

  constructor(cause: unknown) {
    super(String(memberOf(cause, 'message') ?? cause), { cause })
    const [status, response, command, code] = ['responseCode', 'response', 'command', 'code'].map((name) =>
      memberOf(cause, name),
    )
    this.isOfRecipient = command === 'RCPT TO'
    this.isUnknownRecipient = command === 'RCPT TO' && isString(response) && /(?<![\d.])5\.1\.\d/.test(response)
    const isAnswered = typeof status === 'number'
    this.isPermanent = isAnswered ? status >= 500 && ofLetter.has(command) && !ofLogin.has(status) : ofForm.has(code)
    this.isDeferred = !this.isPermanent && (isAnswered || ofServer.has(code))
    const isBeforeLetter = ['connect', 'getaddrinfo'].includes(String(memberOf(cause, 'syscall'))) || code === 'EAUTH'
    this.isInDoubt = !isAnswered && !isBeforeLetter && ofServer.has(code)
  }
}

/** Timeout for each step of the mail server; a person who waits for the mail can request another. */
const timeoutMs = 15_000

/** The time for which connections to the mail server are kept for the next letter. */
const idleMs = 2000

/** Letters that are sent at once, each on a connection of its own. */
export const sendingMax = 10

/** E-mails with files that are signed at a time: the library buffers each, some 20 MB with the largest files. */
const signedFilesMax = 2

/** With the most letters over one connection. */
const pool = { pool: true, maxConnections: sendingMax, maxMessages: 200 } as const

/** A Message-ID (RFC 5322 §3.6.4) in the domain of the sender. */
export const messageIdOf = (key: string, from: string): string =>
  `<${key}@${/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'}>`

const headersOf = ({ wantsReplies, unsubscribeUrl }: Mail): Record<string, string> => ({
  ...(wantsReplies !== true && { 'Auto-Submitted': 'auto-generated' }),
  ...(unsubscribeUrl !== undefined && {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
})

/** Opens the files of an e-mail, and adds them to those that are open. */
async function attachmentsOf(files: readonly MailFile[], streams: Readable[]) {
  const attachments: { filename: string; contentType: string; content: Readable }[] = []
  for (const { name, mimeType, open } of files) {
    const content = await open()
    // An error of the stream fails the e-mail that reads it.
    content.on('error', () => undefined)
    streams.push(content)
    attachments.push({ filename: name, contentType: mimeType ?? 'application/octet-stream', content })
  }
  return attachments
}

/** Sends by SMTP (RFC 5321); `smtps:` for TLS from the start, otherwise STARTTLS where the server has it. */
export function smtpMailer({ smtpUrl, from, dkim }: MailSettings): Mailer {
  // Loaded with the first e-mail: most servers start and idle without it.
  const open = async () => {
    const transport = (await import('nodemailer')).createTransport({
      url: smtpUrl,
      ...pool,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(dkim !== undefined && {
        dkim: {
          domainName: dkim.domain,
          keySelector: dkim.selector,
          privateKey: dkim.privateKey,
          headerFieldNames: signedHeaders,
        },
      }),
    })
    return transport.use('stream', ({ message }, done) => {
      message.transform(() => new Pieces())
      done()
    })
  }
  let transport: ReturnType<typeof open> | undefined
  let underWay = 0
  let closing: NodeJS.Timeout | undefined
  /** An open connection would keep the process, and the mail server, from ending. */
  const closeLater = () => {
    clearTimeout(closing)
    closing = setTimeout(() => {
      const idle = underWay === 0 ? transport : undefined
      if (idle === undefined) return
      transport = undefined
      void idle.then((sender) => sender.close())
    }, idleMs)
  }
  const send: Mailer = async (mail) => {
    const { to, subject, text, html, key, replyTo, files = [] } = mail
    const messageId = mail.messageId ?? (key && messageIdOf(key, from))
    const letter = {
      from,
      to: [to].flat(),
      subject: plainHeader(subject),
      text,
      ...(html !== undefined && { html }),
      ...(messageId !== undefined && { messageId }),
      ...(replyTo !== undefined && { replyTo }),
      envelope: { from: replyTo ?? from, to: [mail.recipient ?? to].flat() },
      headers: headersOf(mail),
    }
    underWay++
    const streams: Readable[] = []
    try {
      const attachments = await attachmentsOf(files, streams)
      const sent = await (await (transport ??= open())).sendMail({ ...letter, attachments })
      return { messageId: sent.messageId, rejected: sent.rejected }
    } catch (error) {
      throw new MailFailure(error)
    } finally {
      for (const stream of streams) stream.destroy()
      underWay--
      if (underWay === 0) closeLater()
    }
  }
  const signing = new Places(signedFilesMax)
  return (mail) => (dkim !== undefined && (mail.files ?? []).length > 0 ? signing.run(() => send(mail)) : send(mail))
}
