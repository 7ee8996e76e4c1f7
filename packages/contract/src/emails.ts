import { z } from 'zod'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { growingList } from './paging.ts'
import { bounceKinds, empty, id, silentQuery, suppressionReasons, timestamp, wrappedOrBare } from './shared.ts'

/** The states of an e-mail. */
export const emailStates = ['sending', 'deferred', 'sent', 'kept', 'suppressed', 'refused'] as const

const address = z.string().meta({ example: 'grace@example.com' })
const moment = timestamp.nullable()

const emailAttributes = z.object({
  _id: id.meta({ example: exampleIds.email }),
  state: z.enum(emailStates).meta({
    description:
      '`sending` until the mail server has responded. If the response was lost, the e-mail may have been ' +
      'sent: it becomes `sent` when a reply or report arrives, or is sent again with the same ' +
      'Message-ID. `deferred`: the mail server asked to try later. `kept`: the installation has no mail ' +
      'server. `suppressed`: no recipient may be e-mailed. `refused`: the mail server rejected it ' +
      'permanently.',
  }),
  person_id: id.nullable().meta({ description: 'The record of the recipient, if there is one.' }),
  workflow_id: id.nullable().meta({ description: 'The workflow or campaign that wrote the e-mail.', example: null }),
  run_id: id.nullable().meta({ description: 'The run that wrote the e-mail.', example: null }),
  block_id: z
    .string()
    .nullable()
    .meta({ description: 'The block of the workflow that wrote the e-mail.', example: null }),
  from: z.string().meta({ example: 'Acme <hello@acme.example>' }),
  to: z.array(address),
  suppressed: z.array(address).meta({ description: 'Recipients that were skipped because they are suppressed.' }),
  message_id: z.string().meta({
    description: 'Its Message-ID. With several recipients, each copy has a Message-ID of its own that begins like it.',
    example: `<${exampleIds.email}@acme.example>`,
  }),
  subject: z.string(),
  attachments: z
    .array(z.object({ _id: id, name: z.string(), mime_type: z.string().nullable(), size_bytes: z.int() }))
    .meta({ description: 'The attachments of the e-mail.', example: [] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'The reason why the mail server refused or deferred it, or why it bounced.' }),
  bounce: z.enum(bounceKinds).nullable().meta({ description: 'The kind of bounce: permanent or temporary.' }),
  opens: z.int().meta({ description: 'Number of opens by the recipient, if tracked.' }),
  clicks: z.int().meta({ description: 'Number of clicks by the recipient, if tracked.' }),
  machine_opens: z.int().meta({
    description:
      'Number of opens by bots: scanners and image proxies, requests within five seconds of acceptance, ' +
      'and members of the workspace. They do not count as opens by a recipient.',
  }),
  machine_clicks: z.int().meta({ description: 'Number of clicks by bots.' }),
  _created_at: timestamp,
  sent_at: moment.meta({ description: 'When the mail server accepted it, or when it was kept.' }),
  opened_at: moment.meta({ description: 'When it was last opened.' }),
  clicked_at: moment.meta({ description: 'When one of its links was last clicked.' }),
  machine_opened_at: moment.meta({ description: 'When a bot last opened it.' }),
  machine_clicked_at: moment.meta({ description: 'When a bot last clicked one of its links.' }),
  replied_at: moment.meta({ description: 'When the last reply arrived.' }),
  bounced_at: moment.meta({ description: 'When it last bounced.' }),
  unsubscribed_at: moment.meta({ description: 'When its recipient unsubscribed.' }),
  _updated_at: timestamp,
})

export const emailResource = z
  .object({ type: z.literal('email'), id, attributes: emailAttributes })
  .meta({ id: 'Email' })

const wholeEmail = z
  .object({
    type: z.literal('email'),
    id,
    attributes: emailAttributes.extend({
      text: z.string(),
      html: z.string().nullable().meta({ description: 'null if it has only text.' }),
    }),
  })
  .meta({ id: 'WholeEmail', description: 'An e-mail with its content, without tracking links.' })

export type EmailResource = z.infer<typeof emailResource>
export type WholeEmailResource = z.infer<typeof wholeEmail>

/** Columns that e-mails are sorted by. */
export const emailSortColumns = ['_created_at', 'sent_at', 'subject'] as const

const collection = '/workspaces/{workspace}/emails'
const reading = { method: 'GET', caller: 'any', scope: 'emails:read' } as const
const ofPeople = { ...reading, recordScope: 'records:read' } as const

const inboundAnswer = z.object({
  data: z.object({
    type: z.literal('email-inbound'),
    id,
    attributes: z.object({
      url: z.string().meta({ example: 'https://crm.example.com/email/inbound/AbCdEf' }),
    }),
  }),
})

/** Letters that workflows and campaigns wrote. */
export const emails = domain({
  list: {
    ...ofPeople,
    replica: true,
    path: collection,
    summary: 'List e-mails',
    description:
      'Lists the e-mails of workflows and campaigns, the newest first unless sorted, without their content. ' +
      'E-mails to a person are visible to callers who may see the person; others to the owner of the ' +
      'workflow and to admins.',
    ...growingList(emailResource, emailSortColumns, {
      filter: z
        .strictObject({
          person: id.optional().meta({ description: 'E-mails to this person.' }),
          workflow: id.optional().meta({ description: 'E-mails of this workflow or campaign.' }),
          run: id.optional().meta({ description: 'E-mails of this run.' }),
          state: z.enum(emailStates).optional().meta({ description: 'E-mails in this state.' }),
        })
        .optional(),
    }),
  },
  getInbound: {
    method: 'GET',
    caller: 'any',
    scope: 'emails:write',
    role: 'admin',
    path: `${collection}/inbound`,
    summary: 'Get the address for inbound e-mail',
    description:
      'The address to which a mail server or provider posts replies and bounces, as `message/rfc822` or ' +
      'as JSON. The address is the credential. Admins only.',
    response: inboundAnswer,
  },
  rotateInbound: {
    method: 'POST',
    caller: 'any',
    scope: 'emails:write',
    role: 'admin',
    path: `${collection}/inbound/rotate`,
    summary: 'Replace the address for inbound e-mail',
    description: 'Replaces the address; the old one stops working. Admins only.',
    secret: true,
    query: z.strictObject(silentQuery),
    response: inboundAnswer,
  },
  get: {
    ...ofPeople,
    path: `${collection}/{id}`,
    summary: 'Get an e-mail with its content',
    description: 'Returns the state of an e-mail, with subject and text for as long as they are kept.',
    response: z.object({ data: wholeEmail }),
  },
})

const suppression = z
  .object({
    type: z.literal('suppression'),
    id,
    attributes: z.object({
      _id: id.meta({ example: exampleIds.suppression }),
      address,
      person_id: id.nullable().meta({
        description:
          'The person who unsubscribed; they are e-mailed at no address. null if only the address is ' +
          'suppressed, and for a person that the caller may not see.',
        example: null,
      }),
      reason: z.enum(suppressionReasons).meta({
        description:
          '`unsubscribed`: the person unsubscribed or reported spam. `bounced`: an e-mail bounced permanently.',
      }),
      note: z.string().nullable(),
      email_id: id.nullable().meta({ description: 'The e-mail that caused it.', example: null }),
      _created_at: timestamp,
      _created_by: id.nullable().meta({ description: 'null if no member or key of the workspace created it.' }),
    }),
  })
  .meta({ id: 'Suppression', description: 'An address or person that the workspace no longer e-mails.' })

export type SuppressionResource = z.infer<typeof suppression>

const newSuppression = z
  .strictObject({
    address: z.string().min(3).max(320).meta({ example: 'grace@example.com' }),
    note: z.string().max(1000).nullable().optional(),
  })
  .meta({ id: 'NewSuppression' })

/** Columns that suppressions are sorted by. */
export const suppressionSortColumns = ['_created_at', 'address'] as const

const suppressionPath = '/workspaces/{workspace}/suppressions'
const suppressing = { caller: 'any', scope: 'emails:write', query: z.strictObject(silentQuery) } as const

/** Addresses that a workspace writes to no more. */
export const suppressedAddresses = domain({
  list: {
    ...ofPeople,
    path: suppressionPath,
    summary: 'List suppressions',
    description:
      'Lists the addresses and people to whom workflows and campaigns send no e-mail, the newest first unless ' +
      'sorted. Admins see all; others see those of people they may see, and those that they have created.',
    ...growingList(suppression, suppressionSortColumns, {
      filter: z
        .strictObject({
          address: z.string().max(320).optional().meta({ description: 'Suppressions of this address.' }),
          person: id.optional().meta({ description: 'Suppressions of addresses of this person.' }),
          reason: z.enum(suppressionReasons).optional().meta({ description: 'Suppressions with this reason.' }),
        })
        .optional(),
    }),
  },
  create: {
    ...suppressing,
    method: 'POST',
    path: suppressionPath,
    status: 201,
    alternativeStatus: { status: 200, description: 'The address was already suppressed; nothing changed.' },
    emits: ['suppression.created'],
    summary: 'Suppress an address',
    description:
      'Nothing is sent to it from then on, waiting e-mails included. If the address is already suppressed by a ' +
      'suppression that the caller may not see, the caller gets one of their own beside it. The address stays ' +
      'suppressed as long as one of them exists.',
    body: wrappedOrBare('suppression', newSuppression),
    response: z.object({ data: suppression }),
    examples: { body: { address: 'charles@example.com', note: 'Requested on the telephone.' } },
  },
  remove: {
    ...suppressing,
    method: 'DELETE',
    path: `${suppressionPath}/{id}`,
    role: 'admin',
    emits: ['suppression.deleted'],
    summary: 'Remove a suppression',
    description:
      'Removes a suppression. Its address and its person receive e-mail again, unless another suppression of the ' +
      'address exists. Admins only, since people who unsubscribed must agree first.',
    response: empty,
  },
})
