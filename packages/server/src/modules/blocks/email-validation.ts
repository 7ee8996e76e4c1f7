import { z } from 'zod'
import { trimInvisible } from '@kontor/contract'
import { normaliseDomain, normaliseEmail } from '../fields/index.ts'
import { block } from '../plugins/index.ts'

/** Mailboxes of a function, not of a person (RFC 2142, and what is usual besides). */
const roles = new Set([
  'abuse',
  'accounting',
  'admin',
  'billing',
  'careers',
  'contact',
  'enquiries',
  'finance',
  'hello',
  'help',
  'hostmaster',
  'hr',
  'info',
  'jobs',
  'mail',
  'marketing',
  'no-reply',
  'noc',
  'noreply',
  'office',
  'postmaster',
  'press',
  'privacy',
  'root',
  'sales',
  'security',
  'service',
  'support',
  'team',
  'webmaster',
])

/** Providers where anyone gets an address, the largest ones; such an address says nothing of a company. */
const freeProviders = new Set([
  'aol.com',
  'fastmail.com',
  'free.fr',
  'gmail.com',
  'gmx.com',
  'gmx.de',
  'gmx.net',
  'googlemail.com',
  'hey.com',
  'hotmail.com',
  'icloud.com',
  'libero.it',
  'live.com',
  'mac.com',
  'mail.com',
  'mail.ru',
  'me.com',
  'msn.com',
  'naver.com',
  'orange.fr',
  'outlook.com',
  'proton.me',
  'protonmail.com',
  'qq.com',
  't-online.de',
  'web.de',
  'yahoo.com',
  'yandex.com',
  'yandex.ru',
  'zoho.com',
  '126.com',
  '163.com',
])

const reasons = ['missing', 'no_at', 'domain', 'local_part'] as const

function reasonOf(email: string): (typeof reasons)[number] {
  if (email === '') return 'missing'
  const at = email.lastIndexOf('@')
  if (at === -1) return 'no_at'
  return normaliseDomain(email.slice(at + 1)) === undefined ? 'domain' : 'local_part'
}

export const emailValidation = block({
  id: 'svc:email-validation',
  title: 'Validate an e-mail address',
  description: 'Checks that a text is an e-mail address, by the rules of record fields. It contacts no mail server.',
  types: ['workflow', 'sequence'],
  input: z.strictObject({
    email: z
      .string()
      .max(1000)
      .nullable()
      .meta({ example: '{{trigger.state.event.object.data.email_addresses.items.0}}' }),
  }),
  output: z.object({
    valid: z.boolean(),
    reason: z.enum(reasons).nullable().meta({ description: 'The reason why it is not valid; null if it is.' }),
    normalised: z.string().nullable().meta({ description: 'The address in lower case, with its domain in ASCII.' }),
    domain: z.string().nullable(),
    is_role: z.boolean().meta({ description: 'True for an address of a function, such as `info@`.' }),
    is_free: z.boolean().meta({ description: 'True for an address of one of the large free providers.' }),
  }),
  isPure: true,
  async run(_context, { email }) {
    const given = trimInvisible(email ?? '')
    const normalised = normaliseEmail(given) ?? null
    if (normalised === null) {
      const none = { normalised, domain: null, is_role: false, is_free: false }
      return { state: 'done', output: { valid: false, reason: reasonOf(given), ...none } }
    }
    const at = normalised.lastIndexOf('@')
    const domain = normalised.slice(at + 1)
    const [mailbox = ''] = normalised.slice(0, at).split('+')
    const facts = { normalised, domain, is_role: roles.has(mailbox), is_free: freeProviders.has(domain) }
    return { state: 'done', output: { valid: true, reason: null, ...facts } }
  },
})
