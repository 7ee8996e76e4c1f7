import { z } from 'zod'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { growingList } from './paging.ts'
import { bounceKinds, empty, id, silentQuery, suppressionReasons, timestamp, wrappedOrBare } from './shared.ts'

/** How far a letter is. */
export const emailStates = ['sending', 'deferred', 'sent', 'kept', 'suppressed', 'refused'] as const

const address = z.string().meta({ example: 'grace@example.com' })
const moment = timestamp.nullable()

const emailAttributes = z.object({
  _id: id.meta({ example: exampleIds.email }),
  state: z.enum(emailStates).meta({
    description:
      '`sending` until the mail server has answered: it may have been sent where that answer was lost, and is `sent` ' +
      'as soon as something comes back of it, or sent again with the same Message-ID. `deferred` where the mail ' +
      'server takes it later; `kept` by a server that has none; `suppressed` where none of the recipients may be ' +
      'written to; `refused` by the mail server for good.',
  }),
  person_id: id.nullable().meta({ description: 'Whom it was written to, where that is a record.' }),
  workflow_id: id.nullable().meta({ description: 'The workflow or campaign that wrote it.', example: null }),
  run_id: id.nullable().meta({ description: 'The run that wrote it.', example: null }),
  block_id: z.string().nullable().meta({ description: 'The block of the workflow that wrote it.', example: null }),
  from: z.string().meta({ example: 'Acme <hello@acme.example>' }),
  to: z.array(address),
  suppressed: z.array(address).meta({ description: 'Recipients who may not be written to, and were left out.' }),
  message_id: z.string().meta({
    description: 'Its Message-ID. With several recipients, each copy has a Message-ID of its own that begins like it.',
    example: `<${exampleIds.email}@acme.example>`,
  }),
  subject: z.string(),
  attachments: z
    .array(z.object({ _id: id, name: z.string(), mime_type: z.string().nullable(), size_bytes: z.int() }))
    .meta({ description: 'The attachments that it carries.', example: [] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why the mail server refused or deferred it, or why it came back.' }),
  bounce: z.enum(bounceKinds).nullable().meta({ description: 'How it came back: for good, or for now.' }),
  opens: z.int().meta({ description: 'How often its reader opened it, where that is tracked.' }),
  clicks: z.int().meta({ description: 'How often its reader followed its links, where that is tracked.' }),
  machine_opens: z.int().meta({
    description:
      'How often a program opened it: one that scans or fetches for readers, whoever was there within five seconds ' +
      'of its acceptance, or a member of the workspace. No recipient counts as having opened it by that.',
  }),
  machine_clicks: z.int().meta({ description: 'How often its links were followed so.' }),
  _created_at: timestamp,
  sent_at: moment.meta({ description: 'When the mail server took it, or when it was kept.' }),
  opened_at: moment.meta({ description: 'When it was last opened.' }),
  clicked_at: moment.meta({ description: 'When one of its links was last followed.' }),
  machine_opened_at: moment.meta({ description: 'When a program last opened it.' }),
  machine_clicked_at: moment.meta({ description: 'When a program last followed one of its links.' }),
  replied_at: moment.meta({ description: 'When it was last answered.' }),
  bounced_at: moment.meta({ description: 'When it last came back.' }),
  unsubscribed_at: moment.meta({ description: 'When its recipient asked for no more.' }),
  _updated_at: timestamp,
})

const email = z.object({ type: z.literal('email'), id, attributes: emailAttributes }).meta({ id: 'Email' })

const wholeEmail = z
  .object({
    type: z.literal('email'),
    id,
    attributes: emailAttributes.extend({
      text: z.string(),
      html: z.string().nullable().meta({ description: 'null where it has text alone.' }),
    }),
  })
  .meta({ id: 'WholeEmail', description: 'An e-mail with what it says, before links that track were put into it.' })

export type EmailResource = z.infer<typeof email>
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
    path: collection,
    summary: 'List e-mails',
    description:
      'What workflows and campaigns wrote, the newest first unless sorted, without what it says. A letter to a ' +
      'person is seen by callers who may see the person, any other by the owner of its workflow and by admins.',
    ...growingList(email, emailSortColumns, {
      filter: z
        .strictObject({
          person: id.optional().meta({ description: 'Letters to this person.' }),
          workflow: id.optional().meta({ description: 'Letters of this workflow or campaign.' }),
          run: id.optional().meta({ description: 'Letters of this run.' }),
          state: z.enum(emailStates).optional().meta({ description: 'Letters in this state.' }),
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
      'Where a mail server or a provider of mail sends by POST, as `message/rfc822` or as JSON, what people answer ' +
      'and what comes back. The address is the credential. Admins only.',
    response: inboundAnswer,
  },
  rotateInbound: {
    method: 'POST',
    caller: 'any',
    scope: 'emails:write',
    role: 'admin',
    path: `${collection}/inbound/rotate`,
    summary: 'Replace the address for inbound e-mail',
    description: 'Nothing is taken at the one before from then on. Admins only.',
    secret: true,
    query: z.strictObject(silentQuery),
    response: inboundAnswer,
  },
  get: {
    ...ofPeople,
    path: `${collection}/{id}`,
    summary: 'Get an e-mail with what it says',
    description: 'Its state, with subject and text for as long as they are kept.',
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
          'Who asked for no more: they are written to at no other address either. null of an address alone, and of a ' +
          'person whom the caller may not see.',
        example: null,
      }),
      reason: z.enum(suppressionReasons).meta({
        description:
          '`unsubscribed`: they asked for no more, or took a letter for spam. `bounced`: a letter came back for good.',
      }),
      note: z.string().nullable(),
      email_id: id.nullable().meta({ description: 'The letter that was the occasion.', example: null }),
      _created_at: timestamp,
      _created_by: id
        .nullable()
        .meta({ description: 'null where it was not done by a member or key of the workspace.' }),
    }),
  })
  .meta({ id: 'Suppression', description: 'An address, or a person, that the workspace writes to no more.' })

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
      'The addresses that no workflow and no campaign writes to, and the people who asked for no more, the newest ' +
      'first unless sorted. Admins see all, others those of people whom they may see and those that they have ' +
      'suppressed themselves.',
    ...growingList(suppression, suppressionSortColumns, {
      filter: z
        .strictObject({
          address: z.string().max(320).optional().meta({ description: 'This address.' }),
          person: id.optional().meta({ description: 'Addresses at which this person asked for no more.' }),
          reason: z.enum(suppressionReasons).optional().meta({ description: 'Those for this reason.' }),
        })
        .optional(),
    }),
  },
  create: {
    ...suppressing,
    method: 'POST',
    path: suppressionPath,
    status: 201,
    alternativeStatus: { status: 200, description: 'It was suppressed already: nothing has changed.' },
    emits: ['suppression.created'],
    summary: 'Suppress an address',
    description:
      'Nothing is sent to it from then on, waiting e-mails included. If the address is already suppressed by a ' +
      'suppression that the caller may not see, the caller gets one of their own beside it. The address stays ' +
      'suppressed as long as one of them exists.',
    body: wrappedOrBare('suppression', newSuppression),
    response: z.object({ data: suppression }),
    examples: { body: { address: 'charles@example.com', note: 'Asked for it on the telephone.' } },
  },
  remove: {
    ...suppressing,
    method: 'DELETE',
    path: `${suppressionPath}/{id}`,
    role: 'admin',
    emits: ['suppression.deleted'],
    summary: 'Write to an address again',
    description:
      'Deletes a suppression. Its address and its person are written to again, unless another suppression of the ' +
      'address exists. Admins only: ask people who unsubscribed before you do this.',
    response: empty,
  },
})
