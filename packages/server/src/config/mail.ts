import { z } from 'zod'
import { rate } from './forms.ts'
import { section, setting } from './section.ts'
import { isSigningKey } from './values.ts'

type DkimSettings = { readonly domain: string; readonly selector: string; readonly privateKey: string }

type MailSettings = { readonly smtpUrl: string; readonly from: string; readonly dkim?: DkimSettings | undefined }

/** The domain of an address, in the form of a header. */
const domainOf = (from: string): string => /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'

/** Settings of e-mail. */
export const mailSettings = section(
  {
    smtpUrl: setting(
      'SMTP_URL',
      z
        .url({
          protocol: /^smtps?$/,
          error: 'must be an smtp: or smtps: URL, such as smtps://user:password@mail.example.com',
        })
        .optional(),
      'mail server for invitations and passwords; without it their links are returned or logged',
    ),
    mailFrom: setting('MAIL_FROM', z.string().min(3).default('Kontor <kontor@localhost>'), 'sender of e-mail'),
    mailReplyTo: setting(
      'MAIL_REPLY_TO',
      z
        .string()
        .regex(/^[\w.-]{1,11}@[\w.-]+\.[a-z]{2,}$/i, 'must be an address with at most 11 characters before the @')
        .optional(),
      'address for replies and bounces, with +TOKEN before the @; by default the sender',
    ),
    privateKey: setting(
      'DKIM_PRIVATE_KEY',
      z
        .string()
        .transform((key) => key.replaceAll(String.raw`\n`, '\n'))
        .refine(isSigningKey, 'must be an RSA key of at least 1024 bits in PEM form, without a passphrase')
        .optional(),
      String.raw`signs e-mail by DKIM: a private key in PEM form, with \n for its line breaks`,
    ),
    selector: setting(
      'DKIM_SELECTOR',
      z
        .string()
        .regex(/^[\w.-]+$/, 'must be a name')
        .default('kontor'),
      'the public key is in the DNS at DKIM_SELECTOR._domainkey.DKIM_DOMAIN',
    ),
    domain: setting(
      'DKIM_DOMAIN',
      z
        .string()
        .regex(/^[\w.-]+$/, 'must be a domain')
        .optional(),
      'domain that vouches for e-mail; by default that of MAIL_FROM',
    ),
    workflowEmailsPerDay: setting(
      'WORKFLOW_EMAILS_PER_DAY',
      rate.default(2000),
      'recipients that plain workflows may e-mail in a day; 0 removes the limit',
    ),
  },
  ({ smtpUrl, privateKey, selector, domain, ...others }) => {
    const { mailFrom: from } = others
    const dkim = privateKey === undefined ? undefined : { domain: domain ?? domainOf(from), selector, privateKey }
    const mail: MailSettings | undefined = smtpUrl === undefined ? undefined : { smtpUrl, from, dkim }
    return { ...others, mail }
  },
)
