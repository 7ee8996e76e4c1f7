import { z } from 'zod'
import { isRecord, isString, itemsOf } from '../../lib/guards.ts'
import type { FindPlaced } from '../attachments/index.ts'
import {
  EmailLimitReached,
  LinksUnreadable,
  renderLetter,
  type Addressing,
  type Emails,
  type LetterFile,
  type Pacing,
} from '../emails/index.ts'
import { normaliseEmail } from '../fields/index.ts'
import { MailFailure } from '../mail/index.ts'
import { lookUp } from '../templates/index.ts'
import { block, StepFailure, type Block, type BlockContext } from '../plugins/index.ts'
import { attachedFiles } from './attached-files.ts'

/** People whom one step may write to; a mailing is a campaign. */
const recipientsMax = 50

/** Files that a letter may carry. */
const filesMax = 10

/** The syntax of texts of its input. */
export const letterSyntaxes = { html: 'html', message: 'rich_text' } as const

const address = z
  .string()
  .trim()
  .max(320)
  .refine(
    (text) => normaliseEmail(text) !== undefined,
    'must be an e-mail address, for example ada@example.com; send several as a list',
  )

const told = z.object({
  to: z.array(z.string()),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  files: z.array(z.string()).optional(),
})

const input = z
  .strictObject({
    to: z
      .union([address, z.array(address).min(1).max(recipientsMax)])
      .optional()
      .meta({
        description:
          'By default the person of the run, at their first address that may be e-mailed; in a sequence, at ' +
          'the address with which they were enrolled. In a sequence this must be one of their addresses.',
        example: '{{trigger.state.event.object.data.email_addresses.items.0}}',
      }),
    subject: z
      .string()
      .min(1)
      .max(1000)
      .meta({ example: 'Welcome, {{trigger.state.event.object.data.name.first_name}}' }),
    message: z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .max(1000)
      .optional()
      .meta({
        description: 'The e-mail as rich text, whose runs can contain variables; it is sent as text and as HTML.',
        example: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello.' }] }],
      }),
    text: z.string().min(1).max(200_000).optional().meta({ description: 'The e-mail as plain text.' }),
    html: z
      .string()
      .min(1)
      .max(500_000)
      .optional()
      .meta({ description: 'The e-mail as HTML; values of variables are escaped.' }),
    attachments: z
      .array(z.string().max(100))
      .max(filesMax)
      .default([])
      .meta({
        description:
          'Ids of attachments of any records, which the owner of the workflow may read when it is sent; together at ' +
          'most 15 MiB.',
      }),
    track_opens: z.boolean().default(false).meta({ description: 'Track opens.' }),
    track_clicks: z.boolean().default(false).meta({ description: 'True to track clicks.' }),
  })
  .superRefine(({ message, text, html }, context) => {
    if (message === undefined && text === undefined)
      context.addIssue({ code: 'custom', path: ['text'], message: 'either text or message is required' })
    if (message !== undefined && (text !== undefined || html !== undefined))
      context.addIssue({ code: 'custom', path: ['message'], message: 'cannot be combined with text and html' })
  })

const output = z.object({
  state: z.enum(['sent', 'kept', 'suppressed', 'rehearsed']).meta({
    description: '`kept` without a mail server; `suppressed` if no recipient may be e-mailed.',
  }),
  email_id: z.string().nullable().meta({ description: 'The e-mail; null in a test run.' }),
  message_id: z.string().nullable().meta({ description: 'Its Message-ID; null in a test run.' }),
  rejected: z
    .array(z.string())
    .meta({ description: 'Recipients that the mail server refused while it accepted others.' }),
  suppressed: z.array(z.string()).meta({ description: 'Recipients that were skipped because they are suppressed.' }),
  dry_run: z.literal(true).optional(),
  would: told.optional().meta({ description: 'In a test run: what would be sent.' }),
})

type Input = z.infer<typeof input>

/** Services of the server that the block uses. */
export type EmailSender = {
  readonly emails: Pick<Emails, 'send'>
  /** Says at which address a run writes to its person. */
  readonly addressing: Addressing
  /** Says when a letter of a sequence may go out. */
  readonly pacing: Pacing
  /** Finds what letters carry. */
  readonly findAttachment: FindPlaced
}

export const sendEmail = ({ emails, addressing, pacing, findAttachment }: EmailSender): Block =>
  block({
    id: 'svc:send:email',
    title: 'Send an e-mail',
    description:
      'Sends an e-mail through the mail server of the installation, or stores it if there is none. An ' +
      'e-mail that the mail server has accepted is not sent again. In a sequence it goes to the person ' +
      'of the run and contains a link to unsubscribe.',
    types: ['workflow', 'sequence'],
    syntaxesOf: () => letterSyntaxes,
    input,
    output,
    async run(context, given) {
      const { workspace, run, idempotencyKey, signal } = context
      const { recipients, personId } = await recipientsOf(context, given, addressing)
      const letter = renderLetter(given)
      const files = await attachedFiles(context, findAttachment, given.attachments)
      if (run.isDryRun) return { state: 'done', output: rehearsal(recipients, letter, files) }
      const inSequence = context.workflowType === 'sequence'
      const paced = {
        workspaceId: workspace.id,
        workflowId: run.workflowId,
        runId: run.id,
        stepKey: idempotencyKey,
        personId,
        recipients,
        now: context.now,
      }
      const until = inSequence ? await pacing.waitsUntil(paced) : null
      if (until !== null) return { state: 'wait', until }
      const sent = await unlessAborted(
        signal,
        emails.send({
          workspaceId: workspace.id,
          key: idempotencyKey,
          actor: context.actor,
          run: { id: run.id, workflowId: run.workflowId, block: context.block },
          personId,
          inSequence,
          recipients,
          letter,
          files,
          tracksOpens: given.track_opens,
          tracksClicks: given.track_clicks,
          signal,
          ...(inSequence && { mayGoOut: (tx) => pacing.mayGoOut(tx, paced) }),
        }),
      ).catch(explain)
      // It rests as all runs of a paused campaign do.
      if (sent.state === 'held') return { state: 'wait', until: context.now }
      const { state, emailId, messageId, rejected, suppressed } = sent
      return {
        state: 'done',
        output: {
          state,
          email_id: emailId,
          message_id: messageId,
          rejected: [...rejected],
          suppressed: [...suppressed],
        },
        // A person who may not be written to gets none of the letters that follow either.
        ...(state === 'suppressed' && inSequence && { ends: sent.isFirst ? 'suppressed' : 'cancelled' }),
      }
    },
  })

const rehearsal = (
  to: readonly string[],
  { subject, text, html }: ReturnType<typeof renderLetter>,
  files: readonly LetterFile[],
) => ({
  state: 'rehearsed' as const,
  email_id: null,
  message_id: null,
  rejected: [],
  suppressed: [],
  dry_run: true as const,
  would: {
    to: [...to],
    subject,
    text,
    ...(html !== null && { html }),
    ...(files.length > 0 && { files: files.map(({ name }) => name) }),
  },
})

type Recipients = { readonly recipients: readonly string[]; readonly personId: string | null }

/** Returns the recipients of the letter, and their records. */
async function recipientsOf(context: BlockContext, { to }: Input, addressing: Addressing): Promise<Recipients> {
  const { record, workflowType, scope } = context
  const person = record?.object === 'person' ? record.id : undefined
  const given = to === undefined ? undefined : [to].flat().map(normalised)
  if (given !== undefined && workflowType === 'workflow') {
    const known = itemsOf(lookUp(scope, 'trigger.state.event.object.data.email_addresses'))
    const [only] = given
    return { recipients: given, personId: given.length === 1 && known.includes(only) ? (person ?? null) : null }
  }
  if (person === undefined) throw new StepFailure('no_recipient', 'The run has no person: set `to`.')
  const theirs = await addressesOf(context, person)
  if (given === undefined)
    return { recipients: [await addressOf(context, person, theirs, addressing)], personId: person }
  if (given.length > 1 || !theirs.includes(given[0] ?? ''))
    throw new StepFailure(
      'no_recipient',
      'In a sequence an e-mail goes to the person of the run, at one of their addresses.',
    )
  return { recipients: given, personId: person }
}

const normalised = (text: string): string => normaliseEmail(text) ?? text

async function addressesOf({ call, workspace }: BlockContext, id: string): Promise<string[]> {
  const { data } = await call('records.get', { workspace: workspace.slug, object: 'person', id })
  const { attributes } = data
  return isRecord(attributes) ? itemsOf(attributes['email_addresses']).filter(isString) : []
}

const refusals = {
  no_email: 'The person has no e-mail address.',
  invalid_email: 'The person has no valid e-mail address.',
  duplicate_address: 'Another person of the campaign already uses this e-mail address.',
}

async function addressOf(
  { workspace, run }: BlockContext,
  personId: string,
  addresses: readonly string[],
  addressing: Addressing,
): Promise<string> {
  const found = await addressing({ workspaceId: workspace.id, runId: run.id, personId, addresses })
  if ('address' in found) return found.address
  // The letter is written down, so that it shows why it did not go out.
  if (found.refusal === 'suppressed') return found.at
  throw new StepFailure(found.refusal, refusals[found.refusal])
}

function explain(error: unknown): never {
  if (error instanceof EmailLimitReached) throw new StepFailure('email_limit_reached', error.message)
  if (error instanceof LinksUnreadable) throw new StepFailure('email_links_unreadable', error.message)
  if (!(error instanceof MailFailure)) throw error
  const code = error.isPermanent ? 'mail_refused' : 'mail_deferred'
  throw new StepFailure(code, error.message, { isRetryable: !error.isPermanent, isPatient: error.isDeferred })
}

/** Waits for work that cannot be stopped, until a signal says not to: then it goes on unheard. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
