import { z } from 'zod'
import { enqueue } from '../../../engine/store.ts'
import type { JobKind, JobType } from '../../../engine/types.ts'
import { actorUserId } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { defined } from '../../../lib/guards.ts'
import type { FindPlaced } from '../../attachments/index.ts'
import type { Emails } from '../../emails/index.ts'
import { findUser } from '../../identity/users/index.ts'
import { findWorkflow, requireCharge, type Workflow } from '../../definitions/index.ts'
import { actorOf } from '../../identity/acting/index.ts'
import { attachedFiles } from '../../blocks/index.ts'
import { StepFailure } from '../../plugins/index.ts'
import { type WorkflowServices } from '../../runs/index.ts'
import { findSlug } from '../../workspaces/index.ts'
import { lettersFor } from './letters.ts'

const payload = z.object({
  workflow_id: z.string(),
  key: z.string(),
  to: z.string(),
  letter: z.object({ subject: z.string(), text: z.string(), html: z.string().nullable() }),
  attachments: z.array(z.string()).default([]),
})

type Payload = z.infer<typeof payload>

const testSending: JobType<Payload> = { name: 'campaigns.test', payload }

/** Sends the letters that a person would get to the caller. */
export async function sendTest(ctx: WriteContext, workflow: Workflow, personId: string) {
  requireCharge(ctx, workflow.row)
  const letters = await lettersFor(ctx, workflow, personId)
  const userId = actorUserId(ctx.actor)
  if (userId === null)
    throw ctx.fail('forbidden', { detail: 'A workspace key has no e-mail address. Use a credential of a user.' })
  const { email: to } = defined(await findUser(ctx.tx, userId))
  for (const { subject, text, html, attachments } of letters)
    await enqueue(ctx.tx, {
      workspaceId: ctx.workspace.workspaceId,
      kind: testSending,
      payload: { workflow_id: workflow.row.id, key: ctx.newId(), to, letter: { subject, text, html }, attachments },
      now: ctx.clockNow,
    })
  return { to, letters: letters.length }
}

type Services = {
  readonly emails: Emails
  readonly workflows: Pick<WorkflowServices, 'actAs'>
  readonly findAttachment: FindPlaced
}

/** Sends one of them, as the owner of the campaign. */
export const testSendJob = ({ emails, workflows, findAttachment }: Services): JobKind<Payload> => ({
  ...testSending,
  async run({ workspaceId, database, logger }, { workflow_id, key, to, letter, attachments }) {
    const workflow = await findWorkflow(database.reader, workspaceId, workflow_id)
    const slug = await findSlug(database.reader, workspaceId)
    if (workflow === undefined || slug === undefined) return { state: 'done' }
    const actor = actorOf(workflow.row.actor, workspaceId, undefined)
    const of = { call: workflows.actAs(actor, key), workspace: { id: workspaceId, slug } }
    try {
      await emails.send({
        workspaceId,
        key,
        actor,
        run: { id: null, workflowId: workflow_id, block: '' },
        personId: null,
        inSequence: false,
        recipients: [to],
        letter,
        files: await attachedFiles(of, findAttachment, attachments),
        tracksOpens: false,
        tracksClicks: false,
      })
    } catch (error) {
      // No other attempt finds what is missing; a run says so at its step.
      if (!(error instanceof StepFailure)) throw error
      logger.warn({ err: error, workflow: workflow_id }, 'a test letter was not sent')
    }
    return { state: 'done' }
  },
})
